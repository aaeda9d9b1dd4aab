package apiserver

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"exoshift/internal/simcloud/kube"
)

// checkImmutable returns an error for each field of Kubernetes' own kinds that cannot be changed once the object exists.
func checkImmutable(kind kube.Kind, before, after kube.Object) field.ErrorList {
	switch kind.GroupResource() {
	case "configmaps", "secrets":
		if before.Get("immutable") == true && !reflect.DeepEqual(before.Get("data"), after.Get("data")) {
			return field.ErrorList{field.Forbidden(field.NewPath("data"), "field is immutable when `immutable` is set")}
		}
	case "deployments.apps", "daemonsets.apps":
		return requireSame(before, after, "spec.selector", apiImmutable)
	case "statefulsets.apps":
		if faults := requireSame(before, after, "spec.selector", ""); len(faults) > 0 {
			return field.ErrorList{field.Forbidden(field.NewPath("spec"), "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "+
				"'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden")}
		}
	case "rolebindings.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io":
		return requireSame(before, after, "roleRef", "cannot change roleRef")
	case "storageclasses.storage.k8s.io":
		return requireSame(before, after, "provisioner", apiImmutable)
	}
	return nil
}

const apiImmutable = "field is immutable"

func requireSame(before, after kube.Object, path, reason string) field.ErrorList {
	if reflect.DeepEqual(before.Get(path), after.Get(path)) {
		return nil
	}
	keys := strings.Split(path, ".")
	return field.ErrorList{field.Invalid(field.NewPath(keys[0], keys[1:]...), after.Get(path), reason)}
}
