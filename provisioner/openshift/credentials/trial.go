package credentials

import (
	"context"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What has a controller use its key is called so, in the namespace default.
const trialName = "exoshift-key-check"

const (
	services    kubeapi.ResourcePath = "v1/services@default"
	claims      kubeapi.ResourcePath = "v1/persistentvolumeclaims@default"
	deployments kubeapi.ResourcePath = "apps/v1/deployments@default"
	classes     kubeapi.ResourcePath = "storage.k8s.io/v1/storageclasses"
)

const (
	storageDriver = "csi.exoscale.com"
	// poolAnnotation names the instance pool to which the cloud controller forwards a Service. There is no pool of that ID, so nothing of the
	// cluster becomes reachable: the load balancer is made before the pool is looked for.
	poolAnnotation = "service.beta.kubernetes.io/exoscale-loadbalancer-service-instancepool-id"
	noPool         = "00000000-0000-0000-0000-000000000000"
)

type named struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
}

func buildMetadata() map[string]any {
	return map[string]any{"name": trialName, "namespace": "default", "annotations": map[string]any{kubeapi.CreatedAnnotation: "true"}}
}

// ensureTrial creates an object unless it is there, and returns its UID.
func ensureTrial(ctx context.Context, api *kubeapi.Client, where kubeapi.ResourcePath, object map[string]any) (uid string, err error) {
	op := "create " + where.String() + " " + trialName
	found, exists, err := kubeapi.Get[named](ctx, api, where, trialName)
	switch {
	case err != nil:
		return "", err
	case exists && found.Metadata.DeletionTimestamp != nil:
		return "", fault.Newf(fault.Transient, op, "an earlier one is still being deleted")
	case exists && found.Metadata.Annotations[kubeapi.CreatedAnnotation] == "":
		return "", fault.Newf(fault.Conflict, op, "somebody else has made one of that name").WithHint("delete it, or rename it: oc -n default get %s %s", where, trialName)
	case exists:
		return string(found.Metadata.UID), nil
	}
	made, err := api.Create(ctx, where, object)
	switch {
	case apierrors.IsAlreadyExists(err):
		return "", fault.Newf(fault.Transient, op, "it has just been created")
	case err != nil:
		return "", api.ToFault(ctx, op, err)
	}
	return string(made.GetUID()), nil
}

// EnsureTrialService creates a Service for which the cloud controller makes a load balancer, and returns that one's name. Nothing serves
// there.
func (k *Keeper) EnsureTrialService(ctx context.Context) (loadBalancer string, err error) {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	metadata := buildMetadata()
	metadata["annotations"] = map[string]any{kubeapi.CreatedAnnotation: "true", poolAnnotation: noPool}
	uid, err := ensureTrial(ctx, api, services, map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": metadata,
		"spec": map[string]any{
			"type": "LoadBalancer", "selector": map[string]any{"exoshift": trialName},
			"ports": []any{map[string]any{"name": "none", "port": int64(65000), "protocol": "TCP"}},
		},
	})
	if err != nil {
		return "", err
	}
	return "k8s-" + uid, nil
}

// EnsureTrialVolume creates a claim for 1 GiB and a pod that mounts it, and returns the name of the volume. fault.Transient: the pod does not
// run yet.
func (k *Keeper) EnsureTrialVolume(ctx context.Context) (volume string, err error) {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	class, err := findClass(ctx, api)
	if err != nil {
		return "", err
	}
	uid, err := ensureTrial(ctx, api, claims, map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": buildMetadata(),
		"spec": map[string]any{
			"storageClassName": class, "accessModes": []any{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}},
		},
	})
	if err != nil {
		return "", err
	}
	image, err := findImage(ctx, api)
	if err != nil {
		return "", err
	}
	_, err = ensureTrial(ctx, api, deployments, buildConsumer(image))
	return "pvc-" + uid, err
}

// CheckTrialPod returns fault.Transient until the pod with the volume runs: then it is attached and mounted.
func (k *Keeper) CheckTrialPod(ctx context.Context) error {
	return k.CheckReader(ctx, "default", "Deployment/"+trialName)
}

func findClass(ctx context.Context, api *kubeapi.Client) (string, error) {
	all, err := kubeapi.List[struct {
		named
		Provisioner string `json:"provisioner"`
	}](ctx, api, classes, "")
	if err != nil {
		return "", err
	}
	for _, class := range all {
		if class.Provisioner == storageDriver {
			return class.Metadata.Name, nil
		}
	}
	return "", fault.Newf(fault.NotFound, "find a storage class", "none is of %s", storageDriver)
}

// findImage returns an image of OpenShift's own that every node has already, or else that of the release, which every node can pull.
func findImage(ctx context.Context, api *kubeapi.Client) (string, error) {
	there, err := kubeapi.List[corev1.Pod](ctx, api, "v1/pods", "")
	if err != nil {
		return "", err
	}
	for _, pod := range there {
		owner := metav1.GetControllerOf(&pod)
		if owner != nil && owner.Kind == "DaemonSet" && strings.HasPrefix(pod.Namespace, "openshift-") && len(pod.Spec.Containers) > 0 {
			return pod.Spec.Containers[0].Image, nil
		}
	}
	version, _, err := kubeapi.Get[struct {
		Status struct {
			Desired struct {
				Image string `json:"image"`
			} `json:"desired"`
		} `json:"status"`
	}](ctx, api, kubeapi.ClusterVersions, "version")
	if err == nil && version.Status.Desired.Image == "" {
		err = fault.Newf(fault.Transient, "find an image", "the cluster version has none")
	}
	return version.Status.Desired.Image, err
}

func buildConsumer(image string) map[string]any {
	labels := map[string]any{"exoshift": trialName}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": buildMetadata(),
		"spec": map[string]any{
			"replicas": int64(1), "selector": map[string]any{"matchLabels": labels}, "strategy": map[string]any{"type": "Recreate"},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{
					"terminationGracePeriodSeconds": int64(0), "automountServiceAccountToken": false,
					"containers": []any{map[string]any{
						"name": "sleep", "image": image, "command": []any{"sleep", "infinity"},
						"resources":       map[string]any{"requests": map[string]any{"cpu": "1m", "memory": "8Mi"}},
						"securityContext": map[string]any{"allowPrivilegeEscalation": false, "capabilities": map[string]any{"drop": []any{"ALL"}}},
						"volumeMounts":    []any{map[string]any{"name": "data", "mountPath": "/data"}},
					}},
					"volumes": []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": trialName}}},
				},
			},
		},
	}
}

// EndTrials deletes what was created to prove the use of a key: state.Found if nothing of it is left. What is being deleted counts as left.
func (k *Keeper) EndTrials(ctx context.Context) (state.Action, error) {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	action := state.Found
	for _, where := range []kubeapi.ResourcePath{deployments, claims, services} {
		found, exists, err := kubeapi.Get[named](ctx, api, where, trialName)
		if err != nil {
			return "", err
		}
		if !exists || found.Metadata.Annotations[kubeapi.CreatedAnnotation] == "" {
			continue
		}
		action = state.Deleted
		if found.Metadata.DeletionTimestamp != nil {
			continue
		}
		background := metav1.DeletePropagationBackground
		err = api.Delete(ctx, where, trialName, metav1.DeleteOptions{PropagationPolicy: &background})
		if err != nil && !apierrors.IsNotFound(err) {
			return "", api.ToFault(ctx, "delete "+where.String()+" "+trialName, err)
		}
	}
	return action, nil
}
