package openshift

import (
	"context"
	"strings"

	"exoshift/state"
)

// The places of what stands for objects of the cloud.
const (
	services          place = "v1/services"
	persistentVolumes place = "v1/persistentvolumes"
	snapshotContents  place = "snapshot.storage.k8s.io/v1/volumesnapshotcontents"
)

// csiDriver is the name of Exoscale's driver for block storage. Its handles are "<zone>/<ID>", as its source says; not
// verified against a running one.
const csiDriver = "csi.exoscale.com"

// Annotations by which Exoscale's cloud controller manager and the CSI provisioner note what they made.
const (
	balancerID       = "service.beta.kubernetes.io/exoscale-loadbalancer-id"
	balancerExternal = "service.beta.kubernetes.io/exoscale-loadbalancer-external"
	provisionedBy    = "pv.kubernetes.io/provisioned-by"
)

// service is the part of a v1 Service that tells of its load balancer.
type service struct {
	Metadata annotated `json:"metadata"`
	Spec     struct {
		Type string `json:"type"`
	} `json:"spec"`
}

// annotated is the part of an object's metadata that names and annotates it.
type annotated struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Annotations map[string]string `json:"annotations"`
}

// persistentVolume is the part of a v1 PersistentVolume that tells of its block volume.
type persistentVolume struct {
	Metadata annotated `json:"metadata"`
	Spec     struct {
		CSI struct {
			Driver       string `json:"driver"`
			VolumeHandle string `json:"volumeHandle"`
		} `json:"csi"`
	} `json:"spec"`
}

// snapshotContent is the part of a VolumeSnapshotContent that tells of its snapshot.
type snapshotContent struct {
	Metadata annotated `json:"metadata"`
	Spec     struct {
		Driver string `json:"driver"`
		Source struct {
			VolumeHandle string `json:"volumeHandle"` // empty for a snapshot that was there before
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		SnapshotHandle string `json:"snapshotHandle"`
	} `json:"status"`
}

// Made returns what the cluster itself made in the cloud, with kind, ID and the cluster's name for it: load balancers of
// services, block volumes, and their snapshots. What it was only told to use is not among them.
func (c *Cluster) Made(ctx context.Context) ([]state.Object, error) {
	connection, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	var made []state.Object
	for _, look := range []func(context.Context, *api) ([]state.Object, error){madeBalancers, madeVolumes, madeSnapshots} {
		found, err := look(ctx, connection)
		if err != nil {
			return nil, err
		}
		made = append(made, found...)
	}
	return made, nil
}

func madeBalancers(ctx context.Context, a *api) ([]state.Object, error) {
	found, err := list[service](ctx, a, services, "")
	var made []state.Object
	for _, s := range found {
		id := s.Metadata.Annotations[balancerID]
		if s.Spec.Type == "LoadBalancer" && id != "" && s.Metadata.Annotations[balancerExternal] != "true" {
			made = append(made, state.Object{Kind: state.KindLoadBalancer, ID: id, Name: s.Metadata.Namespace + "/" + s.Metadata.Name})
		}
	}
	return made, err
}

func madeVolumes(ctx context.Context, a *api) ([]state.Object, error) {
	found, err := list[persistentVolume](ctx, a, persistentVolumes, "")
	var made []state.Object
	for _, v := range found {
		if v.Spec.CSI.Driver == csiDriver && v.Metadata.Annotations[provisionedBy] == csiDriver {
			made = append(made, handled(state.KindVolume, v.Metadata.Name, v.Spec.CSI.VolumeHandle)...)
		}
	}
	return made, err
}

func madeSnapshots(ctx context.Context, a *api) ([]state.Object, error) {
	found, err := list[snapshotContent](ctx, a, snapshotContents, "")
	var made []state.Object
	for _, s := range found {
		if s.Spec.Driver == csiDriver && s.Spec.Source.VolumeHandle != "" {
			made = append(made, handled(state.KindVolumeSnapshot, s.Metadata.Name, s.Status.SnapshotHandle)...)
		}
	}
	return made, err
}

// handled returns the object behind a handle of the driver, or nothing if the handle is of another form.
func handled(kind, name, handle string) []state.Object {
	_, id, ok := strings.Cut(handle, "/")
	if !ok || id == "" || strings.Contains(id, "/") {
		return nil
	}
	return []state.Object{{Kind: kind, ID: id, Name: name}}
}
