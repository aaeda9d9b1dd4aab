package cloudprovider

import (
	"context"
	"errors"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/volumes"
)

// maxVolumes is the number of volumes of a node if the quota cannot be read.
const maxVolumes = 5

// runNode serves the volumes of one node: it registers at the kubelet, which tells the cluster where the node is and how many
// volumes it takes.
func (d blockStorage) runNode(ctx context.Context) error {
	if !d.hasSidecar("csi-node-driver-registrar") {
		return errors.New("nothing registers the driver at the kubelet")
	}
	err := volumes.RegisterDriver(d.Cluster.Objects, d.Env["CSI_NODE_NAME"], kube.Object{
		"name": storageDriver, "nodeID": d.formatHandle(d.place.instance), "topologyKeys": []string{topologyKey},
		"allocatable": kube.Object{"count": d.countVolumes(ctx)},
	})
	if err != nil {
		return err
	}
	d.Running()
	<-ctx.Done()
	return ctx.Err()
}

func (d blockStorage) countVolumes(ctx context.Context) int {
	var answer struct {
		Quotas []struct {
			Resource string
			Limit    int
		}
	}
	_ = d.cloud.Get(ctx, "/v2/quota", &answer) // then the driver's own limit holds
	for _, quota := range answer.Quotas {
		if quota.Resource == "block-storage-volume-attachments" {
			return quota.Limit
		}
	}
	return maxVolumes
}
