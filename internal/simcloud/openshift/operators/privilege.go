package operators

import (
	"fmt"
	"slices"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/container"
)

// privilegedRole allows the security context constraint of the same name.
const privilegedRole = "system:openshift:scc:privileged"

// checkPrivileges refuses pods that are privileged or use files of their node, unless a binding gives their service account that
// constraint. Other demands of pods are not examined.
func (k workloads) checkPrivileges(w workload) error {
	spec := kube.Object(w.Map("spec.template.spec"))
	if !isPrivileged(spec) {
		return nil
	}
	account, namespace := container.GetServiceAccount(spec), w.Namespace()
	grants := func(binding kube.Object) bool {
		return slices.Contains([]string{privilegedRole, "cluster-admin"}, binding.GetString("roleRef.name")) && slices.ContainsFunc(binding.List("subjects"), func(subject kube.Object) bool {
			return subject.GetString("kind") == "ServiceAccount" && subject.GetString("name") == account && subject.GetString("namespace") == namespace
		})
	}
	bindings := append(k.Objects.List("rolebindings.rbac.authorization.k8s.io", namespace), k.Objects.List("clusterrolebindings.rbac.authorization.k8s.io", "")...)
	if slices.ContainsFunc(bindings, grants) {
		return nil
	}
	return fmt.Errorf("error creating: pods %q is forbidden: unable to validate against any security context constraint", w.Name()+"-")
}

func isPrivileged(spec kube.Object) bool {
	privileged := func(c kube.Object) bool {
		return c.GetBool("securityContext.privileged")
	}
	return slices.ContainsFunc(spec.List("containers"), privileged) ||
		slices.ContainsFunc(spec.List("volumes"), func(v kube.Object) bool { return v.Map("hostPath") != nil })
}
