// Package claims lists what a cluster claims to have created in the cloud.
package claims

import (
	"context"
	"strings"
	"time"

	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

const (
	services          kubeapi.ResourcePath = "v1/services"
	persistentVolumes kubeapi.ResourcePath = "v1/persistentvolumes"
	volumeClaims      kubeapi.ResourcePath = "v1/persistentvolumeclaims"
	snapshotContents  kubeapi.ResourcePath = "snapshot.storage.k8s.io/v1/volumesnapshotcontents"
	snapshots         kubeapi.ResourcePath = "snapshot.storage.k8s.io/v1/volumesnapshots"
)

// csiDriver is Exoscale's driver for block storage. Its handles are "<zone>/<ID>".
const csiDriver = "csi.exoscale.com"

// Annotations in which Exoscale's cloud controller manager and the CSI provisioner record what they created.
const (
	balancerID       = "service.beta.kubernetes.io/exoscale-loadbalancer-id"
	balancerExternal = "service.beta.kubernetes.io/exoscale-loadbalancer-external"
	provisionedBy    = "pv.kubernetes.io/provisioned-by"
)

// Default prefixes of names: the cloud controller manager, the CSI provisioner and the CSI snapshotter append the UID of the
// object that they create something for.
const (
	balancerPrefix = "k8s-"
	volumePrefix   = "pvc-"
	snapshotPrefix = "snapshot-"
)

// objectMeta holds fields that the API server assigns.
type objectMeta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid"`
	Created     time.Time         `json:"creationTimestamp"`
	Annotations map[string]string `json:"annotations"`
}

type service struct {
	Metadata objectMeta `json:"metadata"`
	Spec     struct {
		Type string `json:"type"`
	} `json:"spec"`
}

// referencedObject is referenced by the UID: a claim of a volume, a snapshot.
type referencedObject struct {
	Metadata objectMeta `json:"metadata"`
}

type objectReference struct {
	UID string `json:"uid"`
}

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

type snapshotContent struct {
	Metadata objectMeta `json:"metadata"`
	Spec     struct {
		Driver   string          `json:"driver"`
		Snapshot objectReference `json:"volumeSnapshotRef"`
		Source   struct {
			VolumeHandle string `json:"volumeHandle"` // empty for a snapshot that existed before
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		SnapshotHandle string `json:"snapshotHandle"`
	} `json:"status"`
}

// Lister lists what the cluster claims to have created.
type Lister struct{ connector *kubeapi.Connector }

// New returns a lister of the connector's cluster.
func New(connector *kubeapi.Connector) *Lister { return &Lister{connector} }

// ListClaims returns what the cluster claims to have created in the cloud: load balancers of services, block volumes, and their
// snapshots, but not what it was configured to use. None of it is proven: whoever may write a Service can annotate it with any
// ID.
func (c *Lister) ListClaims(ctx context.Context) ([]state.Claim, error) {
	connection, err := c.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	var claims []state.Claim
	for _, list := range []func(context.Context, *kubeapi.Client) ([]state.Claim, error){listBalancerClaims, listVolumeClaims, listSnapshotClaims} {
		some, err := list(ctx, connection)
		if err != nil {
			return nil, err
		}
		claims = append(claims, some...)
	}
	return claims, nil
}

func listBalancerClaims(ctx context.Context, api *kubeapi.Client) ([]state.Claim, error) {
	found, err := kubeapi.List[service](ctx, api, services, "")
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

func listVolumeClaims(ctx context.Context, api *kubeapi.Client) ([]state.Claim, error) {
	found, err := kubeapi.List[persistentVolume](ctx, api, persistentVolumes, "")
	if err != nil || len(found) == 0 {
		return nil, err
	}
	requests, err := listByUID(ctx, api, volumeClaims)
	var claims []state.Claim
	for _, v := range found {
		if v.Spec.CSI.Driver == csiDriver && v.Metadata.Annotations[provisionedBy] == csiDriver {
			claim := state.Claim{Kind: state.KindVolume, By: "persistent volume " + v.Metadata.Name}
			claims = append(claims, fromVolumeHandle(claim, v.Spec.CSI.VolumeHandle, volumePrefix, requests[v.Spec.Claim.UID])...)
		}
	}
	return claims, err
}

func listSnapshotClaims(ctx context.Context, api *kubeapi.Client) ([]state.Claim, error) {
	found, err := kubeapi.List[snapshotContent](ctx, api, snapshotContents, "")
	if err != nil || len(found) == 0 {
		return nil, err
	}
	requests, err := listByUID(ctx, api, snapshots)
	var claims []state.Claim
	for _, s := range found {
		if s.Spec.Driver == csiDriver && s.Spec.Source.VolumeHandle != "" {
			claim := state.Claim{Kind: state.KindVolumeSnapshot, By: "volume snapshot content " + s.Metadata.Name}
			claims = append(claims, fromVolumeHandle(claim, s.Status.SnapshotHandle, snapshotPrefix, requests[s.Spec.Snapshot.UID])...)
		}
	}
	return claims, err
}

// listByUID lists the existing objects: a UID in a reference counts only if its object exists.
func listByUID(ctx context.Context, api *kubeapi.Client, where kubeapi.ResourcePath) (map[string]objectMeta, error) {
	found, err := kubeapi.List[referencedObject](ctx, api, where, "")
	all := make(map[string]objectMeta, len(found))
	for _, one := range found {
		all[one.Metadata.UID] = one.Metadata
	}
	return all, err
}

// fromVolumeHandle completes the claim of a volume handle, or returns nil if the handle has another form. by is the object that
// it was created for, if that still exists.
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
