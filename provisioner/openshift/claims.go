package openshift

import (
	"context"
	"strings"
	"time"

	"exoshift/state"
)

// The places of what stands for objects of the cloud.
const (
	services          resourcePath = "v1/services"
	persistentVolumes resourcePath = "v1/persistentvolumes"
	volumeClaims      resourcePath = "v1/persistentvolumeclaims"
	snapshotContents  resourcePath = "snapshot.storage.k8s.io/v1/volumesnapshotcontents"
	snapshots         resourcePath = "snapshot.storage.k8s.io/v1/volumesnapshots"
)

// csiDriver is the name of Exoscale's driver for block storage. Its handles are "<zone>/<ID>".
const csiDriver = "csi.exoscale.com"

// Annotations by which Exoscale's cloud controller manager and the CSI provisioner note what they made.
const (
	balancerID       = "service.beta.kubernetes.io/exoscale-loadbalancer-id"
	balancerExternal = "service.beta.kubernetes.io/exoscale-loadbalancer-external"
	provisionedBy    = "pv.kubernetes.io/provisioned-by"
)

// What the controllers put before the UID of the object that they make something for: the cloud controller manager, the CSI
// provisioner and the CSI snapshotter, the latter two unless told otherwise.
const (
	balancerPrefix = "k8s-"
	volumePrefix   = "pvc-"
	snapshotPrefix = "snapshot-"
)

// objectMeta is the part of an object's metadata that tells it apart. The API server chooses UID and time.
type objectMeta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid"`
	Created     time.Time         `json:"creationTimestamp"`
	Annotations map[string]string `json:"annotations"`
}

// service is the part of a v1 Service that tells of its load balancer.
type service struct {
	Metadata objectMeta `json:"metadata"`
	Spec     struct {
		Type string `json:"type"`
	} `json:"spec"`
}

// referencedObject is an object that somebody else's object names by its UID: a claim of a volume, a snapshot.
type referencedObject struct {
	Metadata objectMeta `json:"metadata"`
}

// objectReference names such an object.
type objectReference struct {
	UID string `json:"uid"`
}

// persistentVolume is the part of a v1 PersistentVolume that tells of its block volume.
type persistentVolume struct {
	Metadata objectMeta `json:"metadata"`
	Spec     struct {
		Claim objectReference `json:"claimRef"`
		CSI   struct {
			Driver       string `json:"driver"`
			VolumeHandle string `json:"volumeHandle"`
		} `json:"csi"`
	} `json:"spec"`
}

// snapshotContent is the part of a VolumeSnapshotContent that tells of its snapshot.
type snapshotContent struct {
	Metadata objectMeta `json:"metadata"`
	Spec     struct {
		Driver   string          `json:"driver"`
		Snapshot objectReference `json:"volumeSnapshotRef"`
		Source   struct {
			VolumeHandle string `json:"volumeHandle"` // empty for a snapshot that was there before
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		SnapshotHandle string `json:"snapshotHandle"`
	} `json:"status"`
}

// ListClaims returns what the cluster says that it made in the cloud: load balancers of services, block volumes, and their
// snapshots. What it was only told to use is not among them. None of it is proven: whoever may write a Service can annotate
// it with any ID.
func (c *Cluster) ListClaims(ctx context.Context) ([]state.Claim, error) {
	connection, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	var claims []state.Claim
	for _, list := range []func(context.Context, *api) ([]state.Claim, error){listBalancerClaims, listVolumeClaims, listSnapshotClaims} {
		some, err := list(ctx, connection)
		if err != nil {
			return nil, err
		}
		claims = append(claims, some...)
	}
	return claims, nil
}

func listBalancerClaims(ctx context.Context, a *api) ([]state.Claim, error) {
	found, err := listObjects[service](ctx, a, services, "")
	var claims []state.Claim
	for _, s := range found {
		id := s.Metadata.Annotations[balancerID]
		if s.Spec.Type == "LoadBalancer" && id != "" && !strings.EqualFold(s.Metadata.Annotations[balancerExternal], "true") {
			claims = append(claims, state.Claim{
				Kind: state.KindLoadBalancer, ID: id, By: "service " + s.Metadata.Namespace + "/" + s.Metadata.Name,
				Name: balancerPrefix + s.Metadata.UID, Since: s.Metadata.Created,
			})
		}
	}
	return claims, err
}

func listVolumeClaims(ctx context.Context, a *api) ([]state.Claim, error) {
	found, err := listObjects[persistentVolume](ctx, a, persistentVolumes, "")
	if err != nil || len(found) == 0 {
		return nil, err
	}
	requests, err := listByUID(ctx, a, volumeClaims)
	var claims []state.Claim
	for _, v := range found {
		if v.Spec.CSI.Driver == csiDriver && v.Metadata.Annotations[provisionedBy] == csiDriver {
			claim := state.Claim{Kind: state.KindVolume, By: "persistent volume " + v.Metadata.Name}
			claims = append(claims, fromVolumeHandle(claim, v.Spec.CSI.VolumeHandle, volumePrefix, requests[v.Spec.Claim.UID])...)
		}
	}
	return claims, err
}

func listSnapshotClaims(ctx context.Context, a *api) ([]state.Claim, error) {
	found, err := listObjects[snapshotContent](ctx, a, snapshotContents, "")
	if err != nil || len(found) == 0 {
		return nil, err
	}
	requests, err := listByUID(ctx, a, snapshots)
	var claims []state.Claim
	for _, s := range found {
		if s.Spec.Driver == csiDriver && s.Spec.Source.VolumeHandle != "" {
			claim := state.Claim{Kind: state.KindVolumeSnapshot, By: "volume snapshot content " + s.Metadata.Name}
			claims = append(claims, fromVolumeHandle(claim, s.Status.SnapshotHandle, snapshotPrefix, requests[s.Spec.Snapshot.UID])...)
		}
	}
	return claims, err
}

// listByUID lists a place. A UID that somebody wrote into another object is worth something only if it is there.
func listByUID(ctx context.Context, a *api, where resourcePath) (map[string]objectMeta, error) {
	found, err := listObjects[referencedObject](ctx, a, where, "")
	all := make(map[string]objectMeta, len(found))
	for _, one := range found {
		all[one.Metadata.UID] = one.Metadata
	}
	return all, err
}

// fromVolumeHandle completes the claim of what is behind a handle of the driver, or returns nothing if the handle is of another form.
// by is what it was made for, if that is still there.
func fromVolumeHandle(claim state.Claim, handle, prefix string, by objectMeta) []state.Claim {
	_, id, ok := strings.Cut(handle, "/")
	if !ok || id == "" || strings.Contains(id, "/") {
		return nil
	}
	claim.ID = id
	if by.UID != "" {
		claim.Name, claim.Since = prefix+by.UID, by.Created
	}
	return []state.Claim{claim}
}
