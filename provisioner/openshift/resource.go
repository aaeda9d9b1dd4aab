package openshift

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// resourcePath is [group/]version/resource[@namespace].
type resourcePath string

const (
	nodes        resourcePath = "v1/nodes"
	systemEvents resourcePath = "v1/events@kube-system"
	systemConfig resourcePath = "v1/configmaps@kube-system"
	etcdEvents   resourcePath = "v1/events@openshift-etcd-operator"
	etcdConfig   resourcePath = "v1/configmaps@openshift-etcd"
	requests     resourcePath = "certificates.k8s.io/v1/certificatesigningrequests"
	apiEndpoints resourcePath = "discovery.k8s.io/v1/endpointslices@default"
	routerPods   resourcePath = "v1/pods@openshift-ingress"
	pools        resourcePath = "machineconfiguration.openshift.io/v1/machineconfigpools"

	clusterVersions  resourcePath = "config.openshift.io/v1/clusterversions"
	clusterOperators resourcePath = "config.openshift.io/v1/clusteroperators"
	schedulers       resourcePath = "config.openshift.io/v1/schedulers"

	etcds                  resourcePath = "operator.openshift.io/v1/etcds"
	kubeAPIServers         resourcePath = "operator.openshift.io/v1/kubeapiservers"
	kubeControllerManagers resourcePath = "operator.openshift.io/v1/kubecontrollermanagers"
	kubeSchedulers         resourcePath = "operator.openshift.io/v1/kubeschedulers"

	ingressControllers resourcePath = "operator.openshift.io/v1/ingresscontrollers@openshift-ingress-operator"
	consoleRoutes      resourcePath = "route.openshift.io/v1/routes@openshift-console"
)

func (p resourcePath) toClient(all dynamic.Interface) dynamic.ResourceInterface {
	path, namespace, namespaced := strings.Cut(string(p), "@")
	parts := strings.Split(path, "/")
	resource := schema.GroupVersionResource{Version: parts[len(parts)-2], Resource: parts[len(parts)-1]}
	if len(parts) == 3 {
		resource.Group = parts[0]
	}
	if namespaced {
		return all.Resource(resource).Namespace(namespace)
	}
	return all.Resource(resource)
}

func (p resourcePath) urlPath() string {
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

// String returns the resource for messages.
func (p resourcePath) String() string {
	path, _, _ := strings.Cut(string(p), "@")
	return path[strings.LastIndex(path, "/")+1:]
}
