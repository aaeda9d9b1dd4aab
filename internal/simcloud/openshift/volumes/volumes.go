// Package volumes is what a simulated cluster itself does for persistent volumes: the scheduler selects a node for a claim, the
// controllers bind claims and ask for attachments, kubelets register drivers and wait for attachments. The driver is a program in
// pods, and creates and attaches the volumes.
package volumes

import (
	"errors"
	"fmt"
	"slices"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Resources of volumes, as GroupResource.
const (
	ClaimResource      = "persistentvolumeclaims"
	VolumeResource     = "persistentvolumes"
	ClassResource      = "storageclasses.storage.k8s.io"
	NodeResource       = "csinodes.storage.k8s.io"
	AttachmentResource = "volumeattachments.storage.k8s.io"
)

// SelectedNode is the annotation of a claim that has the node for which its volume is created.
const SelectedNode = "volume.kubernetes.io/selected-node"

// WaitForFirstConsumer is the binding mode of classes whose volumes are created once a pod needs them.
const WaitForFirstConsumer = "WaitForFirstConsumer"

func listClaimNames(pod kube.Object) []string {
	var names []string
	for _, volume := range pod.List("spec.volumes") {
		if name := volume.GetString("persistentVolumeClaim.claimName"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Schedule returns why a pod cannot be bound to a node for its claims, in the scheduler's words, or "" if it can. Claims that wait
// for their first consumer get the node.
func Schedule(objects *kube.Objects, pod kube.Object, node string) (string, error) {
	for _, name := range listClaimNames(pod) {
		claim, exists := objects.Get(ClaimResource, pod.Namespace(), name)
		if !exists {
			return fmt.Sprintf("persistentvolumeclaim %q not found", name), nil
		}
		if claim.GetString("spec.volumeName") != "" {
			continue
		}
		class, _ := objects.Get(ClassResource, "", claim.GetString("spec.storageClassName"))
		if class.GetString("volumeBindingMode") != WaitForFirstConsumer {
			return "pod has unbound immediate PersistentVolumeClaims", nil
		}
		if _, selected := claim.Map("metadata.annotations")[SelectedNode]; selected {
			return "running PreBind plugin \"VolumeBinding\": binding volumes", nil
		}
		_, err := objects.Update(ClaimResource, pod.Namespace(), name, func(o kube.Object) error {
			annotations := kube.Object{SelectedNode: node, "volume.kubernetes.io/storage-provisioner": class.GetString("provisioner")}
			for key, value := range o.Map("metadata.annotations") {
				annotations[key] = value
			}
			o.Set("metadata.annotations", annotations)
			return nil
		})
		return "running PreBind plugin \"VolumeBinding\": binding volumes", err
	}
	return "", nil
}

// Bind binds a claim and its new volume to each other.
func Bind(objects *kube.Objects, namespace, claim, volume string) error {
	bound := func(o kube.Object) error {
		o.Set("status.phase", "Bound")
		return nil
	}
	if _, err := objects.Update(VolumeResource, "", volume, bound); err != nil {
		return err
	}
	_, err := objects.Update(ClaimResource, namespace, claim, func(o kube.Object) error {
		o.Set("spec.volumeName", volume)
		return bound(o)
	})
	return err
}

// RequestAttachments asks the drivers to attach the volumes of a pod to its node. A volume that is attached elsewhere has to be detached
// first: it may be used by one node only.
func RequestAttachments(objects *kube.Objects, pod kube.Object) error {
	var faults error
	for _, volume := range listVolumes(objects, pod) {
		driver, node := volume.GetString("spec.csi.driver"), pod.GetString("spec.nodeName")
		if driver == "" || node == "" || isAttachedElsewhere(objects, volume.Name(), node) {
			continue
		}
		faults = errors.Join(faults, objects.Ensure(AttachmentResource, "", kube.Object{
			"metadata": kube.Object{"name": formatAttachment(volume.Name(), node)},
			"spec":     kube.Object{"attacher": driver, "nodeName": node, "source": kube.Object{"persistentVolumeName": volume.Name()}},
			"status":   kube.Object{"attached": false},
		}, nil))
	}
	return faults
}

func isAttachedElsewhere(objects *kube.Objects, volume, node string) bool {
	return slices.ContainsFunc(objects.List(AttachmentResource, ""), func(a kube.Object) bool {
		return a.GetString("spec.source.persistentVolumeName") == volume && a.GetString("spec.nodeName") != node
	})
}

// ReleaseAttachments has the drivers detach the volumes that no pod uses any more on the node that they are attached to.
func ReleaseAttachments(objects *kube.Objects, pods map[string]kube.Object) error {
	attachments := objects.List(AttachmentResource, "")
	if len(attachments) == 0 {
		return nil
	}
	used := map[string]bool{}
	for _, pod := range pods {
		for _, volume := range listVolumes(objects, pod) {
			used[formatAttachment(volume.Name(), pod.GetString("spec.nodeName"))] = true
		}
	}
	var faults error
	for _, attachment := range attachments {
		if !used[attachment.Name()] {
			_, err := objects.Delete(AttachmentResource, "", attachment.Name())
			faults = errors.Join(faults, err)
		}
	}
	return faults
}

// ListReleased returns the volumes of a driver that are to be deleted: their claims are, and no node has them any more.
func ListReleased(objects *kube.Objects, driver string) []kube.Object {
	return slices.DeleteFunc(objects.List(VolumeResource, ""), func(volume kube.Object) bool {
		claim, exists := objects.Get(ClaimResource, volume.GetString("spec.claimRef.namespace"), volume.GetString("spec.claimRef.name"))
		used := exists && claim.GetString("metadata.uid") == volume.GetString("spec.claimRef.uid")
		return used || volume.GetString("spec.csi.driver") != driver || volume.GetString("spec.persistentVolumeReclaimPolicy") != "Delete" ||
			isAttachedElsewhere(objects, volume.Name(), "")
	})
}

func listVolumes(objects *kube.Objects, pod kube.Object) []kube.Object {
	var volumes []kube.Object
	for _, name := range listClaimNames(pod) {
		claim, _ := objects.Get(ClaimResource, pod.Namespace(), name)
		if volume, exists := objects.Get(VolumeResource, "", claim.GetString("spec.volumeName")); exists {
			volumes = append(volumes, volume)
		}
	}
	return volumes
}

func formatAttachment(volume, node string) string { return "csi-" + cluster.HashSuffix(volume+node) }

// CheckMounted returns why a kubelet does not mount the volumes of a pod, or nil.
func CheckMounted(objects *kube.Objects, pod kube.Object, node string) error {
	for _, volume := range listVolumes(objects, pod) {
		driver := volume.GetString("spec.csi.driver")
		if driver == "" {
			continue
		}
		attachment, _ := objects.Get(AttachmentResource, "", formatAttachment(volume.Name(), node))
		if !attachment.GetBool("status.attached") {
			return fmt.Errorf("AttachVolume.Attach failed for volume %q : timed out waiting for external-attacher of %s CSI driver to attach volume %s", volume.Name(), driver, volume.GetString("spec.csi.volumeHandle"))
		}
		if FindDriver(objects, node, driver) == nil {
			return fmt.Errorf("MountVolume.MountDevice failed for volume %q : driver name %s not found in the list of registered CSI drivers", volume.Name(), driver)
		}
	}
	return nil
}

// FindDriver returns a driver as the kubelet of a node has registered it, or nil.
func FindDriver(objects *kube.Objects, node, driver string) kube.Object {
	found, _ := objects.Get(NodeResource, "", node)
	for _, registered := range found.List("spec.drivers") {
		if registered.GetString("name") == driver {
			return registered
		}
	}
	return nil
}

// RegisterDriver is what a kubelet does when a driver's registrar has opened its socket.
func RegisterDriver(objects *kube.Objects, node string, driver kube.Object) error {
	set := func(o kube.Object) error {
		drivers := []kube.Object{driver}
		for _, other := range o.List("spec.drivers") {
			if other.GetString("name") != driver.GetString("name") {
				drivers = append(drivers, other)
			}
		}
		o.Set("spec.drivers", drivers)
		return nil
	}
	fresh := kube.Object{"metadata": kube.Object{"name": node}, "spec": kube.Object{"drivers": []kube.Object{driver}}}
	return objects.Ensure(NodeResource, "", fresh, set)
}
