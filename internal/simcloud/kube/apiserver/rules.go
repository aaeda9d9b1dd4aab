package apiserver

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"exoshift/internal/simcloud/kube"
)

// checkRules validates what the types of Kubernetes' own kinds do not: fields that are required, and those with a set of values.
// It knows those that clients of this API have had wrong, not all of a real server.
func checkRules(kind kube.Kind, object kube.Object) field.ErrorList {
	spec := field.NewPath("spec")
	switch kind.GroupResource() {
	case "nodes":
		return checkTaints(spec.Child("taints"), object.List("spec.taints"))
	case "services":
		return checkService(object)
	case "pods":
		return checkPod(spec, object.Map("spec"))
	case "deployments.apps", "daemonsets.apps", "statefulsets.apps":
		return append(checkSelector(object), checkPod(spec.Child("template", "spec"), object.Map("spec.template.spec"))...)
	case "jobs.batch":
		return checkJob(spec.Child("template", "spec"), object.Map("spec.template.spec"))
	case "cronjobs.batch":
		return checkJob(spec.Child("jobTemplate", "spec", "template", "spec"), object.Map("spec.jobTemplate.spec.template.spec"))
	case "persistentvolumeclaims":
		return checkClaim(object)
	case "rolebindings.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io":
		return checkBinding(object)
	case "storageclasses.storage.k8s.io":
		return require(object, "provisioner")
	}
	return nil
}

// require returns an error for each path without a value.
func require(object kube.Object, paths ...string) field.ErrorList {
	var faults field.ErrorList
	for _, path := range paths {
		if value := object.Get(path); value == nil || value == "" {
			keys := strings.Split(path, ".")
			faults = append(faults, field.Required(field.NewPath(keys[0], keys[1:]...), ""))
		}
	}
	return faults
}

// checkEnum returns an error for a text that is none of the supported ones; none at all is the default.
func checkEnum(path *field.Path, value any, supported ...string) field.ErrorList {
	text, ok := value.(string)
	if !ok || text == "" || slices.Contains(supported, text) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, text, supported)}
}

func checkTaints(path *field.Path, taints []kube.Object) field.ErrorList {
	var faults field.ErrorList
	for i, taint := range taints {
		at := path.Index(i).Child("effect")
		if taint.GetString("effect") == "" {
			faults = append(faults, field.Required(at, ""))
		}
		faults = append(faults, checkEnum(at, taint["effect"], "NoSchedule", "PreferNoSchedule", "NoExecute")...)
	}
	return faults
}

func checkService(object kube.Object) field.ErrorList {
	spec := field.NewPath("spec")
	faults := checkEnum(spec.Child("type"), object.Get("spec.type"), "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
	ports := object.List("spec.ports")
	if len(ports) == 0 && object.GetString("spec.type") != "ExternalName" && object.GetString("spec.clusterIP") != "None" {
		faults = append(faults, field.Required(spec.Child("ports"), ""))
	}
	for i, port := range ports {
		at := spec.Child("ports").Index(i)
		if number := port.GetInt("port"); number < 1 || number > 65535 {
			faults = append(faults, field.Invalid(at.Child("port"), number, "must be between 1 and 65535, inclusive"))
		}
		faults = append(faults, checkEnum(at.Child("protocol"), port["protocol"], "SCTP", "TCP", "UDP")...)
		if port.GetString("name") == "" && len(ports) > 1 {
			faults = append(faults, field.Required(at.Child("name"), ""))
		}
	}
	return faults
}

func checkPod(path *field.Path, spec map[string]any) field.ErrorList {
	pod := kube.Object(spec)
	var faults field.ErrorList
	containers := pod.List("containers")
	if len(containers) == 0 {
		faults = append(faults, field.Required(path.Child("containers"), ""))
	}
	for i, container := range containers {
		at := path.Child("containers").Index(i)
		for _, key := range []string{"name", "image"} {
			if container.GetString(key) == "" {
				faults = append(faults, field.Required(at.Child(key), ""))
			}
		}
		faults = append(faults, checkEnum(at.Child("imagePullPolicy"), container["imagePullPolicy"], "Always", "IfNotPresent", "Never")...)
	}
	return append(faults, checkEnum(path.Child("restartPolicy"), pod["restartPolicy"], "Always", "OnFailure", "Never")...)
}

// checkJob also requires that the pods of a job end.
func checkJob(path *field.Path, spec map[string]any) field.ErrorList {
	faults := checkPod(path, spec)
	switch policy := kube.Object(spec).GetString("restartPolicy"); policy {
	case "OnFailure", "Never":
		return faults
	case "":
		return append(faults, field.Required(path.Child("restartPolicy"), `valid values: "OnFailure", "Never"`))
	case "Always":
		return append(faults, field.NotSupported(path.Child("restartPolicy"), policy, []string{"OnFailure", "Never"}))
	}
	return faults
}

// checkSelector requires that a workload selects the pods of its template.
func checkSelector(object kube.Object) field.ErrorList {
	if object.Get("spec.selector") == nil {
		return require(object, "spec.selector")
	}
	labels := object.Map("spec.template.metadata.labels")
	for key, value := range object.Map("spec.selector.matchLabels") {
		if labels[key] != value {
			path := field.NewPath("spec", "template", "metadata", "labels")
			return field.ErrorList{field.Invalid(path, labels, "`selector` does not match template `labels`")}
		}
	}
	return nil
}

func checkClaim(object kube.Object) field.ErrorList {
	spec := field.NewPath("spec")
	var faults field.ErrorList
	modes := object.GetStrings("spec.accessModes")
	if len(modes) == 0 {
		faults = append(faults, field.Required(spec.Child("accessModes"), "at least 1 access mode is required"))
	}
	for i, mode := range modes {
		known := []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
		faults = append(faults, checkEnum(spec.Child("accessModes").Index(i), mode, known...)...)
	}
	if object.Get("spec.resources.requests.storage") == nil {
		faults = append(faults, field.Required(spec.Child("resources").Key("storage"), ""))
	}
	return faults
}

func checkBinding(object kube.Object) field.ErrorList {
	faults := require(object, "roleRef.name")
	if kind := object.GetString("roleRef.kind"); !slices.Contains([]string{"Role", "ClusterRole"}, kind) {
		faults = append(faults, field.NotSupported(field.NewPath("roleRef", "kind"), kind, []string{"ClusterRole", "Role"}))
	}
	for i, subject := range object.List("subjects") {
		if subject.GetString("name") == "" {
			faults = append(faults, field.Required(field.NewPath("subjects").Index(i).Child("name"), ""))
		}
	}
	return faults
}

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
