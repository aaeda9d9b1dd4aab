package kube

import (
	"slices"
	"strings"
)

// Kind is one kind of object that the API serves.
type Kind struct {
	Group, Version, Resource, Kind string
	Namespaced                     bool
	Status                         bool // has the subresource status, the only one to write .status
	Added                          bool // by a CustomResourceDefinition
}

// HasSubresource reports whether the kind has a subresource: status, or approval of certificate signing requests.
func (k Kind) HasSubresource(subresource string) bool {
	return subresource == "status" && k.Status || subresource == "approval" && k.GroupResource() == CSRResource
}

func (k Kind) hasGeneration() bool {
	return k.Added || slices.Contains([]string{"apps", "batch", "networking.k8s.io", "policy", "apiextensions.k8s.io"}, k.Group)
}

// IsBuiltinGroup reports whether a kind of Kubernetes is of this group and version.
func IsBuiltinGroup(kind Kind) bool {
	for _, known := range builtinKinds {
		if known.Group == kind.Group && known.Version == kind.Version {
			return true
		}
	}
	return false
}

// GroupResource returns the kind's name in tables and Go code: "nodes", "etcds.operator.openshift.io".
func (k Kind) GroupResource() string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// APIVersion returns "v1" or "group/version".
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// builtinKinds are the kinds of Kubernetes; all others need a CustomResourceDefinition.
var builtinKinds = newBuiltinKinds() //nolint:gochecknoglobals // a table that nothing changes

// FindBuiltinKind returns the kind of a resource of Kubernetes.
func FindBuiltinKind(resource string) Kind { return builtinKinds[resource] }

func newBuiltinKinds() map[string]Kind {
	kinds := map[string]Kind{}
	add := func(group, resource, kind string, namespaced, status bool) {
		k := Kind{Group: group, Version: "v1", Resource: resource, Kind: kind, Namespaced: namespaced, Status: status}
		kinds[k.GroupResource()] = k
	}
	add("", "namespaces", "Namespace", false, true)
	add("", "nodes", "Node", false, true)
	add("", "pods", "Pod", true, true)
	add("", "configmaps", "ConfigMap", true, false)
	add("", "secrets", "Secret", true, false)
	add("", "services", "Service", true, true)
	add("", "serviceaccounts", "ServiceAccount", true, false)
	add("", "endpoints", "Endpoints", true, false)
	add("", "events", "Event", true, false)
	add("", "persistentvolumes", "PersistentVolume", false, true)
	add("", "persistentvolumeclaims", "PersistentVolumeClaim", true, true)
	add("apps", "deployments", "Deployment", true, true)
	add("apps", "daemonsets", "DaemonSet", true, true)
	add("apps", "statefulsets", "StatefulSet", true, true)
	add("batch", "jobs", "Job", true, true)
	add("certificates.k8s.io", "certificatesigningrequests", "CertificateSigningRequest", false, true)
	add("coordination.k8s.io", "leases", "Lease", true, false)
	add("discovery.k8s.io", "endpointslices", "EndpointSlice", true, false)
	add("events.k8s.io", "events", "Event", true, false)
	add("rbac.authorization.k8s.io", "roles", "Role", true, false)
	add("rbac.authorization.k8s.io", "rolebindings", "RoleBinding", true, false)
	add("rbac.authorization.k8s.io", "clusterroles", "ClusterRole", false, false)
	add("rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", false, false)
	add("storage.k8s.io", "storageclasses", "StorageClass", false, false)
	add("storage.k8s.io", "csidrivers", "CSIDriver", false, false)
	add("storage.k8s.io", "csinodes", "CSINode", false, false)
	add("storage.k8s.io", "volumeattachments", "VolumeAttachment", false, true)
	add("networking.k8s.io", "networkpolicies", "NetworkPolicy", true, false)
	add("networking.k8s.io", "ingresses", "Ingress", true, true)
	add("policy", "poddisruptionbudgets", "PodDisruptionBudget", true, true)
	add("scheduling.k8s.io", "priorityclasses", "PriorityClass", false, false)
	add("batch", "cronjobs", "CronJob", true, true)
	add("", "resourcequotas", "ResourceQuota", true, true)
	add("", "limitranges", "LimitRange", true, false)
	add("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", false, true)
	return kinds
}

const (
	// DefinitionResource is the resource of the definitions of added kinds.
	DefinitionResource = "customresourcedefinitions.apiextensions.k8s.io"
	// CSRResource is the resource of certificate signing requests.
	CSRResource = "certificatesigningrequests.certificates.k8s.io"
)

// Definition returns the CustomResourceDefinition of a kind; creating it adds the kind to the API.
func (k Kind) Definition() Object {
	scope := "Cluster"
	if k.Namespaced {
		scope = "Namespaced"
	}
	version := Object{"name": k.Version, "served": true, "storage": true}
	if k.Status {
		version["subresources"] = Object{"status": Object{}}
	}
	definition := Object{"metadata": Object{"name": k.GroupResource()}, "spec": Object{
		"group": k.Group, "scope": scope, "versions": []Object{version},
		"names": Object{"plural": k.Resource, "singular": strings.ToLower(k.Kind), "kind": k.Kind, "listKind": k.Kind + "List"},
	}}
	definition.Set("status.conditions", []Object{{"type": "Established", "status": "True"}})
	return definition
}

func parseDefinition(definition Object) Kind {
	kind := Kind{
		Group: definition.GetString("spec.group"), Resource: definition.GetString("spec.names.plural"), Kind: definition.GetString("spec.names.kind"),
		Namespaced: definition.GetString("spec.scope") == "Namespaced", Version: "v1", Added: true,
	}
	if versions := definition.List("spec.versions"); len(versions) > 0 {
		kind.Version = versions[0].GetString("name")
		kind.Status = versions[0].Get("subresources.status") != nil
	}
	return kind
}
