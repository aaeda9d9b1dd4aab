package credentials

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
	"exoshift/state/rotation"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The annotations of a workload's pods that were restarted for a key: with which key, and when, as `oc rollout restart` notes it.
const (
	keyAnnotation     = "exoshift-api-key"
	restartAnnotation = "kubectl.kubernetes.io/restartedAt"
)

// The operator of the image registry reads its Secret by the API, and no field of its Deployment says so.
const (
	registryNamespace = "openshift-image-registry"
	registryOperator  = "Deployment/cluster-image-registry-operator"
)

// workload is what is read of a Deployment, StatefulSet or DaemonSet.
type workload struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Replicas *int                   `json:"replicas"`
		Template corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
	Status struct {
		Generation       int64 `json:"observedGeneration"`
		Replicas         int   `json:"replicas"`
		Updated          int   `json:"updatedReplicas"`
		Available        int   `json:"availableReplicas"`
		DesiredScheduled int   `json:"desiredNumberScheduled"` // of a DaemonSet, and the following two, too
		UpdatedScheduled int   `json:"updatedNumberScheduled"`
		NumberAvailable  int   `json:"numberAvailable"`
	} `json:"status"`
}

func listWorkloadKinds() map[string]kubeapi.ResourcePath {
	return map[string]kubeapi.ResourcePath{"Deployment": "apps/v1/deployments@", "StatefulSet": "apps/v1/statefulsets@", "DaemonSet": "apps/v1/daemonsets@"}
}

// listReaders returns the workloads whose pods get a Secret, as kind/name, sorted.
func listReaders(ctx context.Context, api *kubeapi.Client, holder rotation.Holder) ([]string, error) {
	var readers []string
	for kind, path := range listWorkloadKinds() {
		all, err := kubeapi.List[workload](ctx, api, path+kubeapi.ResourcePath(holder.Namespace), "")
		if err != nil {
			return nil, err
		}
		for _, w := range all {
			name := kind + "/" + w.Metadata.Name
			if refersTo(w.Spec.Template.Spec, holder.Name) || holder.Namespace == registryNamespace && name == registryOperator {
				readers = append(readers, name)
			}
		}
	}
	slices.Sort(readers)
	return readers, nil
}

// refersTo reports whether a pod gets a Secret, as variables or as files.
func refersTo(pod corev1.PodSpec, secret string) bool {
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		if slices.ContainsFunc(c.EnvFrom, func(from corev1.EnvFromSource) bool { return from.SecretRef != nil && from.SecretRef.Name == secret }) ||
			slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool {
				return e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil && e.ValueFrom.SecretKeyRef.Name == secret
			}) {
			return true
		}
	}
	return slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
		return v.Secret != nil && v.Secret.SecretName == secret || v.Projected != nil &&
			slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool { return s.Secret != nil && s.Secret.Name == secret })
	})
}

func findWorkload(ctx context.Context, api *kubeapi.Client, namespace, reader string) (where kubeapi.ResourcePath, found workload, err error) {
	kind, name, _ := strings.Cut(reader, "/")
	where = listWorkloadKinds()[kind] + kubeapi.ResourcePath(namespace)
	found, exists, err := kubeapi.Get[workload](ctx, api, where, name)
	if err == nil && !exists {
		err = fault.Newf(fault.NotFound, "read "+reader+" in "+namespace, "it does not exist any more")
	}
	return where, found, err
}

// RestartReader replaces the pods of a workload, so that they get a new key, whose ID is given: state.Found if they were for that key.
func (k *Keeper) RestartReader(ctx context.Context, namespace, reader, key string, now time.Time) (state.Action, error) {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return "", err
	}
	where, found, err := findWorkload(ctx, api, namespace, reader)
	if err != nil || found.Spec.Template.Annotations[keyAnnotation] == key {
		return state.Found, err
	}
	notes := map[string]any{keyAnnotation: key, restartAnnotation: now.UTC().Format(time.RFC3339)}
	change, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": notes}}}})
	if err != nil {
		return "", fault.New(fault.Internal, "restart "+reader, err)
	}
	return state.Updated, api.Patch(ctx, where, found.Metadata.Name, change)
}

// CheckReader returns fault.Transient until every pod of a workload is a new one and available.
func (k *Keeper) CheckReader(ctx context.Context, namespace, reader string) error {
	api, err := k.connector.Connect(ctx)
	if err != nil {
		return err
	}
	_, w, err := findWorkload(ctx, api, namespace, reader)
	if err != nil {
		return err
	}
	wanted, all, updated, available := 1, w.Status.Replicas, w.Status.Updated, w.Status.Available
	if w.Spec.Replicas != nil {
		wanted = *w.Spec.Replicas
	}
	if strings.HasPrefix(reader, "DaemonSet/") {
		wanted, all, updated, available = w.Status.DesiredScheduled, w.Status.DesiredScheduled, w.Status.UpdatedScheduled, w.Status.NumberAvailable
	}
	switch {
	case w.Status.Generation < w.Metadata.Generation:
		return fault.Newf(fault.Transient, "restart "+reader, "no pod is new yet, in %s", namespace)
	case updated < wanted || available < wanted || all > wanted:
		return fault.Newf(fault.Transient, "restart "+reader, "%d of %d pods are new, and %d available, in %s", updated, wanted, available, namespace)
	}
	return nil
}
