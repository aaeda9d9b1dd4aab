package cloudprovider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/container"
)

const (
	storageDriver = "csi.exoscale.com"
	// storageEvery is how often the driver lists claims.
	storageEvery = 30 * time.Second
)

type blockStorage struct {
	zone    string
	api     *apiclient.Client // uses the pod's service account
	cloud   CloudAPI
	console func(format string, args ...any)
	said    map[string]string // by claim
}

// RunBlockStorage is the CSI driver in a pod.
func RunBlockStorage(ctx context.Context, c container.Container) error {
	api, err := c.NewClient()
	if err != nil {
		return err
	}
	defer api.Close()
	cloud, err := newCloudAPI(c)
	if err != nil {
		return err
	}
	defer cloud.Close()
	driver := blockStorage{zone: c.Env["EXOSCALE_ZONE"], api: api, cloud: cloud, console: c.Machine.Console, said: map[string]string{}}
	for ctx.Err() == nil {
		if err := driver.provision(ctx); err != nil {
			return err
		}
		c.Running()
		_ = c.Cluster.Clock.Sleep(ctx, storageEvery)
	}
	return ctx.Err()
}

// provision creates the missing volumes. An error with one claim does not stop the others.
func (d blockStorage) provision(ctx context.Context) error {
	claims, err := d.api.Get(ctx, "/api/v1/persistentvolumeclaims")
	if err != nil {
		return err
	}
	for _, claim := range claims.List("items") {
		if claim.GetString("spec.volumeName") != "" || claim.GetString("spec.storageClassName") == "" {
			continue
		}
		if err := d.provisionClaim(ctx, claim); err != nil && d.said[claim.GetString("metadata.uid")] != err.Error() {
			d.said[claim.GetString("metadata.uid")] = err.Error()
			d.console("csi-provisioner: failed to provision volume for claim %s/%s: %v", claim.Namespace(), claim.Name(), err)
		}
	}
	return nil
}

func (d blockStorage) provisionClaim(ctx context.Context, claim kube.Object) error {
	class, err := d.api.Get(ctx, "/apis/storage.k8s.io/v1/storageclasses/"+claim.GetString("spec.storageClassName"))
	if err != nil || class.GetString("provisioner") != storageDriver {
		return err
	}
	if _, selected := claim.Map("metadata.annotations")["volume.kubernetes.io/selected-node"]; class.GetString("volumeBindingMode") == "WaitForFirstConsumer" && !selected {
		return nil
	}
	size, err := gibibytes(claim.GetString("spec.resources.requests.storage"))
	if err != nil {
		return err
	}
	name := "pvc-" + claim.GetString("metadata.uid")
	id, err := d.ensureVolume(ctx, name, size)
	if err != nil {
		return err
	}
	volume := kube.Object{
		"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": kube.Object{"name": name, "annotations": kube.Object{"pv.kubernetes.io/provisioned-by": storageDriver}},
		"spec": kube.Object{
			"csi":         kube.Object{"driver": storageDriver, "volumeHandle": d.zone + "/" + id},
			"claimRef":    kube.Object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.Namespace(), "name": claim.Name(), "uid": claim.GetString("metadata.uid")},
			"capacity":    kube.Object{"storage": strconv.Itoa(size) + "Gi"},
			"accessModes": []string{"ReadWriteOnce"}, "storageClassName": class.Name(), "persistentVolumeReclaimPolicy": "Delete",
		},
	}
	if _, err := d.api.Do(ctx, http.MethodPost, "/api/v1/persistentvolumes", volume); err != nil && !apiclient.IsCode(err, http.StatusConflict) {
		return err
	}
	// The controller of persistent volumes does this in a real cluster.
	bound := kube.Object{"spec": kube.Object{"volumeName": name}}
	_, err = d.api.Do(ctx, http.MethodPatch, "/api/v1/namespaces/"+claim.Namespace()+"/persistentvolumeclaims/"+claim.Name(), bound)
	return err
}

// ensureVolume is idempotent: it first searches for a volume of that name, which an earlier call may have created.
func (d blockStorage) ensureVolume(ctx context.Context, name string, size int) (id string, err error) {
	var answer struct {
		Volumes []struct{ ID, Name string } `json:"block-storage-volumes"`
	}
	if err := d.cloud.Get(ctx, "/v2/block-storage", &answer); err != nil {
		return "", err
	}
	for _, there := range answer.Volumes {
		if there.Name == name {
			return there.ID, nil
		}
	}
	var quotas struct{}
	// Our reading: the driver's README names list-quotas among its permissions, so a role that lacks it creates nothing.
	if err := d.cloud.Get(ctx, "/v2/quota", &quotas); err != nil {
		return "", err
	}
	return d.cloud.change(ctx, http.MethodPost, "/v2/block-storage", map[string]any{"name": name, "size": size})
}

// gibibytes parses a size in whole GiB, the only unit the driver creates.
func gibibytes(quantity string) (int, error) {
	size, err := strconv.Atoi(strings.TrimSuffix(quantity, "Gi"))
	if err != nil || size < 1 || !strings.HasSuffix(quantity, "Gi") {
		return 0, errors.Join(fmt.Errorf("requested %q: the size is given in whole Gi", quantity), err)
	}
	return size, nil
}
