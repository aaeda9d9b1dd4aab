package cluster

import (
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
)

const csrResource = "certificatesigningrequests"

// authorizeFixed allows three kinds of users without reading roles: administrators, the node bootstrapper, and nodes.
func authorizeFixed(a apiserver.Attributes) bool {
	reads := a.Verb == "get" || a.Verb == "list" || a.Verb == "watch"
	switch {
	case a.User.HasGroup("system:masters"):
		return true
	case a.User.Name == NodeBootstrapper:
		return a.Resource == csrResource && (reads || a.Verb == "create")
	case a.User.HasGroup("system:nodes"):
		return authorizeNode(a, strings.TrimPrefix(a.User.Name, "system:node:"), reads)
	}
	return false
}

func authorizeNode(a apiserver.Attributes, node string, reads bool) bool {
	switch a.Resource {
	case csrResource:
		return reads || a.Verb == "create"
	case "nodes":
		return reads || a.Verb == "create" || a.Name == node
	case "nodes/status":
		return a.Name == node
	case "pods":
		return reads && (a.Name != "" || a.OwnerOfSpec == node)
	case "pods/status":
		return true
	case "secrets", "configmaps":
		return a.Verb == "get"
	}
	return false
}

// Authorize applies RBAC to service accounts, and the fixed rules to everybody else.
func (c accounts) Authorize(a apiserver.Attributes) bool {
	return authorizeFixed(a) || strings.HasPrefix(a.User.Name, AccountUser) && c.hasBinding(a)
}

// hasBinding searches the bindings of the user, in the cluster or in the namespace, for a role that allows the request.
func (c accounts) hasBinding(a apiserver.Attributes) bool {
	const group = ".rbac.authorization.k8s.io"
	bindings := c.objects.List("clusterrolebindings"+group, "")
	if a.Namespace != "" {
		bindings = append(bindings, c.objects.List("rolebindings"+group, a.Namespace)...)
	}
	for _, binding := range bindings {
		if !slices.ContainsFunc(binding.List("subjects"), func(subject kube.Object) bool { return isSubject(subject, a.User) }) {
			continue
		}
		resource, namespace := "clusterroles"+group, ""
		if binding.GetString("roleRef.kind") == "Role" {
			resource, namespace = "roles"+group, a.Namespace
		}
		role, _ := c.objects.Get(resource, namespace, binding.GetString("roleRef.name"))
		if binding.GetString("roleRef.name") == "cluster-admin" || slices.ContainsFunc(role.List("rules"), func(rule kube.Object) bool { return matchRule(rule, a) }) {
			return true
		}
	}
	return false
}

func isSubject(subject kube.Object, user apiserver.User) bool {
	switch subject.GetString("kind") {
	case "ServiceAccount":
		return user.Name == AccountUser+subject.GetString("namespace")+":"+subject.GetString("name")
	case "Group":
		return user.HasGroup(subject.GetString("name"))
	}
	return user.Name == subject.GetString("name")
}

func matchRule(rule kube.Object, a apiserver.Attributes) bool {
	covers := func(field, value string) bool {
		return slices.ContainsFunc(rule.GetStrings(field), func(allowed string) bool { return allowed == "*" || allowed == value })
	}
	named := rule.GetStrings("resourceNames")
	return covers("verbs", a.Verb) && covers("apiGroups", a.Group) && covers("resources", a.Resource) &&
		(len(named) == 0 || slices.Contains(named, a.Name))
}

// NodeBootstrapper is a machine's user before it has its own certificate.
const NodeBootstrapper = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
