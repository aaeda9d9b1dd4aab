package openshift

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// place is where objects of one kind are: [group/]version/resource[@namespace].
type place string

// The places that are read or changed.
const (
	nodes        place = "v1/nodes"
	systemEvents place = "v1/events@kube-system"
	systemConfig place = "v1/configmaps@kube-system"
	etcdEvents   place = "v1/events@openshift-etcd-operator"
	etcdConfig   place = "v1/configmaps@openshift-etcd"
	requests     place = "certificates.k8s.io/v1/certificatesigningrequests"
	apiEndpoints place = "discovery.k8s.io/v1/endpointslices@default"
	routerPods   place = "v1/pods@openshift-ingress"
	pools        place = "machineconfiguration.openshift.io/v1/machineconfigpools"

	clusterVersions  place = "config.openshift.io/v1/clusterversions"
	clusterOperators place = "config.openshift.io/v1/clusteroperators"
	schedulers       place = "config.openshift.io/v1/schedulers"

	etcds                  place = "operator.openshift.io/v1/etcds"
	kubeAPIServers         place = "operator.openshift.io/v1/kubeapiservers"
	kubeControllerManagers place = "operator.openshift.io/v1/kubecontrollermanagers"
	kubeSchedulers         place = "operator.openshift.io/v1/kubeschedulers"

	ingressControllers place = "operator.openshift.io/v1/ingresscontrollers@openshift-ingress-operator"
	consoleRoutes      place = "route.openshift.io/v1/routes@openshift-console"
)

// in returns the objects of this place in a cluster.
func (p place) in(a *api) dynamic.ResourceInterface {
	path, namespace, namespaced := strings.Cut(string(p), "@")
	parts := strings.Split(path, "/")
	resource := schema.GroupVersionResource{Version: parts[len(parts)-2], Resource: parts[len(parts)-1]}
	if len(parts) == 3 {
		resource.Group = parts[0]
	}
	if namespaced {
		return a.objects.Resource(resource).Namespace(namespace)
	}
	return a.objects.Resource(resource)
}

// path returns where this place is below the address of an API.
func (p place) path() string {
	path, namespace, namespaced := strings.Cut(string(p), "@")
	group, resource := path[:strings.LastIndex(path, "/")], path[strings.LastIndex(path, "/")+1:]
	root := "/apis/"
	if !strings.Contains(group, "/") {
		root = "/api/"
	}
	if namespaced {
		resource = "namespaces/" + namespace + "/" + resource
	}
	return root + group + "/" + resource
}

// String names the kind for people.
func (p place) String() string {
	path, _, _ := strings.Cut(string(p), "@")
	return path[strings.LastIndex(path, "/")+1:]
}
