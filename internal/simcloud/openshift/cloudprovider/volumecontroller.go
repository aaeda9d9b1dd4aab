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
	"exoshift/internal/simcloud/openshift/volumes"
)

// storageEvery is how often the driver lists claims and attachments.
const storageEvery = 30 * time.Second

// volumeController creates and attaches volumes.
type volumeController struct {
	blockStorage
	message map[string]string // the last error, by claim or attachment
}

func (v volumeController) run(ctx context.Context) error {
	election := apiclient.Lease{API: v.api, Now: v.Cluster.Clock.Now, Namespace: v.Pod.Namespace(), Name: "csi-exoscale-com", Holder: v.Pod.Name(), Duration: 3 * storageEvery}
	for ctx.Err() == nil {
		leads, err := election.Acquire(ctx)
		if err == nil && leads && v.hasSidecar("csi-provisioner") {
			err = v.provision(ctx)
		}
		if err == nil && leads && v.hasSidecar("csi-attacher") {
			err = v.attachAll(ctx)
		}
		if err != nil {
			return err
		}
		v.Running()
		_ = v.Cluster.Clock.Sleep(ctx, storageEvery)
	}
	return ctx.Err()
}

// provision creates the missing volumes. An error with one claim does not stop the others.
func (v volumeController) provision(ctx context.Context) error {
	claims, err := v.api.Get(ctx, "/api/v1/persistentvolumeclaims")
	if err != nil {
		return err
	}
	for _, claim := range claims.List("items") {
		if claim.GetString("spec.volumeName") == "" && claim.GetString("spec.storageClassName") != "" {
			v.report(claim, "csi-provisioner: failed to provision volume for claim "+claim.Namespace()+"/"+claim.Name(), v.provisionClaim(ctx, claim))
		}
	}
	for _, volume := range volumes.ListReleased(v.Cluster.Objects, storageDriver) {
		v.report(volume, "csi-provisioner: failed to delete volume "+volume.Name(), v.deleteVolume(ctx, volume))
	}
	return nil
}

// deleteVolume deletes the volume of a claim that was deleted.
func (v volumeController) deleteVolume(ctx context.Context, volume kube.Object) error {
	_, err := v.cloud.change(ctx, http.MethodDelete, "/v2/block-storage/"+parseHandle(volume.GetString("spec.csi.volumeHandle")), nil)
	if err != nil && !isGone(err) {
		return err
	}
	_, err = v.api.Do(ctx, http.MethodDelete, "/api/v1/persistentvolumes/"+volume.Name(), nil)
	return err
}

func (v volumeController) report(about kube.Object, what string, err error) {
	uid := about.GetString("metadata.uid")
	if err == nil || v.message[uid] == err.Error() {
		return
	}
	v.message[uid] = err.Error()
	v.Machine.Console("%s: %v", what, err)
}

func (v volumeController) provisionClaim(ctx context.Context, claim kube.Object) error {
	class, err := v.api.Get(ctx, "/apis/storage.k8s.io/v1/storageclasses/"+claim.GetString("spec.storageClassName"))
	if err != nil || !isOurs(class) {
		return err
	}
	node, selected := claim.Map("metadata.annotations")[volumes.SelectedNode].(string)
	if class.GetString("volumeBindingMode") == volumes.WaitForFirstConsumer && !selected {
		return nil
	}
	if err := v.checkTopology(ctx, node); err != nil {
		return err
	}
	size, err := gibibytes(claim.GetString("spec.resources.requests.storage"))
	if err != nil {
		return err
	}
	name := "pvc-" + claim.GetString("metadata.uid")
	id, err := v.ensureVolume(ctx, name, size)
	if err != nil {
		return err
	}
	volume := kube.Object{
		"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": kube.Object{"name": name, "annotations": kube.Object{"pv.kubernetes.io/provisioned-by": storageDriver}},
		"spec": kube.Object{
			"csi":         kube.Object{"driver": storageDriver, "volumeHandle": v.formatHandle(id)},
			"claimRef":    kube.Object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.Namespace(), "name": claim.Name(), "uid": claim.GetString("metadata.uid")},
			"capacity":    kube.Object{"storage": strconv.Itoa(size) + "Gi"},
			"accessModes": []string{"ReadWriteOnce"}, "storageClassName": class.Name(), "persistentVolumeReclaimPolicy": "Delete",
		},
	}
	if _, err := v.api.Do(ctx, http.MethodPost, "/api/v1/persistentvolumes", volume); err != nil && !apiclient.IsCode(err, http.StatusConflict) {
		return err
	}
	return volumes.Bind(v.Cluster.Objects, claim.Namespace(), claim.Name(), name)
}

// checkTopology requires the driver on the node that was selected, whose zone is that of the volume.
func (v volumeController) checkTopology(ctx context.Context, node string) error {
	if node == "" {
		return nil
	}
	found, err := v.api.Get(ctx, "/apis/storage.k8s.io/v1/csinodes/"+node)
	if err != nil && !apiclient.IsCode(err, http.StatusNotFound) {
		return err
	}
	for _, driver := range found.List("spec.drivers") {
		if driver.GetString("name") == storageDriver {
			return nil
		}
	}
	return fmt.Errorf("error generating accessibility requirements: no topology key found on CSINode %s", node)
}

// ensureVolume is idempotent: it first searches for a volume of that name, which an earlier call may have created.
func (v volumeController) ensureVolume(ctx context.Context, name string, size int) (id string, err error) {
	var answer struct {
		Volumes []struct{ ID, Name string } `json:"block-storage-volumes"`
	}
	if err := v.cloud.Get(ctx, "/v2/block-storage", &answer); err != nil {
		return "", err
	}
	for _, there := range answer.Volumes {
		if there.Name == name {
			return there.ID, nil
		}
	}
	return v.cloud.change(ctx, http.MethodPost, "/v2/block-storage", map[string]any{"name": name, "size": size})
}

// gibibytes parses a size in whole GiB, the only unit the driver creates.
func gibibytes(quantity string) (int, error) {
	size, err := strconv.Atoi(strings.TrimSuffix(quantity, "Gi"))
	if err != nil || size < 1 || !strings.HasSuffix(quantity, "Gi") {
		return 0, errors.Join(fmt.Errorf("requested %q: the size is given in whole Gi", quantity), err)
	}
	return size, nil
}

const (
	attachments = "/apis/storage.k8s.io/v1/volumeattachments"
	// nodeIDNote is where an attachment keeps the driver's name of its node, for when the node is gone.
	nodeIDNote = "csi.alpha.kubernetes.io/node-id"
)

// attachAll attaches what is not attached yet, and detaches what is not used any more. An error with one does not stop the others.
func (v volumeController) attachAll(ctx context.Context) error {
	found, err := v.api.Get(ctx, attachments)
	if err != nil {
		return err
	}
	for _, attachment := range found.List("items") {
		done := attachment.GetBool("status.attached")
		switch {
		case attachment.GetString("spec.attacher") != storageDriver:
		case attachment.Get("metadata.deletionTimestamp") != nil:
			v.report(attachment, "csi-attacher: failed to detach "+attachment.Name(), v.detach(ctx, attachment))
		case !done:
			v.report(attachment, "csi-attacher: failed to attach "+attachment.Name(), v.attach(ctx, attachment))
		}
	}
	return nil
}

// attach marks the attachment first: from then on it does not vanish before its volume is detached.
func (v volumeController) attach(ctx context.Context, attachment kube.Object) error {
	driver := volumes.FindDriver(v.Cluster.Objects, attachment.GetString("spec.nodeName"), storageDriver)
	if driver == nil {
		return fmt.Errorf("csinode %s has no driver %s", attachment.GetString("spec.nodeName"), storageDriver)
	}
	node := driver.GetString("nodeID")
	marks := kube.Object{"metadata": kube.Object{"finalizers": []string{"external-attacher/csi-exoscale-com"}, "annotations": kube.Object{nodeIDNote: node}}}
	if _, err := v.api.Do(ctx, http.MethodPatch, attachments+"/"+attachment.Name(), marks); err != nil {
		return err
	}
	id, holder, err := v.findVolume(ctx, attachment)
	if err == nil && holder != parseHandle(node) {
		_, err = v.cloud.change(ctx, http.MethodPut, "/v2/block-storage/"+id+":attach", map[string]any{"instance": map[string]string{"id": parseHandle(node)}})
	}
	if err != nil {
		return err
	}
	_, err = v.api.Do(ctx, http.MethodPatch, attachments+"/"+attachment.Name()+"/status", kube.Object{"status": kube.Object{"attached": true}})
	return err
}

func (v volumeController) detach(ctx context.Context, attachment kube.Object) error {
	node, _ := attachment.Map("metadata.annotations")[nodeIDNote].(string)
	id, holder, err := v.findVolume(ctx, attachment)
	if err == nil && node != "" && holder == parseHandle(node) {
		_, err = v.cloud.change(ctx, http.MethodPut, "/v2/block-storage/"+id+":detach", nil)
	}
	if err != nil {
		return err
	}
	_, err = v.api.Do(ctx, http.MethodPatch, attachments+"/"+attachment.Name(), kube.Object{"metadata": kube.Object{"finalizers": nil}})
	return err
}

// findVolume returns the volume of an attachment, and the instance that it is attached to now.
func (v volumeController) findVolume(ctx context.Context, attachment kube.Object) (id, holder string, err error) {
	volume, err := v.api.Get(ctx, "/api/v1/persistentvolumes/"+attachment.GetString("spec.source.persistentVolumeName"))
	if err != nil {
		return "", "", err
	}
	var there struct {
		Instance struct {
			ID string `json:"id"`
		} `json:"instance"`
	}
	id = parseHandle(volume.GetString("spec.csi.volumeHandle"))
	err = v.cloud.Get(ctx, "/v2/block-storage/"+id, &there)
	return id, there.Instance.ID, err
}
