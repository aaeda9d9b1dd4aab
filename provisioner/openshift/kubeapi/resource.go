package kubeapi

import "strings"

// ResourcePath names a resource of the API: [group/]version/resource[@namespace].
type ResourcePath string

// MasterLabel is the label of the nodes that are masters.
const MasterLabel = "node-role.kubernetes.io/master"

// The resources that more than one package reads.
const (
	Nodes               ResourcePath = "v1/nodes"
	SystemEvents        ResourcePath = "v1/events@kube-system"
	SystemConfig        ResourcePath = "v1/configmaps@kube-system"
	EtcdEvents          ResourcePath = "v1/events@openshift-etcd-operator"
	EtcdConfig          ResourcePath = "v1/configmaps@openshift-etcd"
	CertificateRequests ResourcePath = "certificates.k8s.io/v1/certificatesigningrequests"
	APIEndpoints        ResourcePath = "discovery.k8s.io/v1/endpointslices@default"
	RouterPods          ResourcePath = "v1/pods@openshift-ingress"
	MachineConfigPools  ResourcePath = "machineconfiguration.openshift.io/v1/machineconfigpools"

	ClusterVersions  ResourcePath = "config.openshift.io/v1/clusterversions"
	ClusterOperators ResourcePath = "config.openshift.io/v1/clusteroperators"
	Schedulers       ResourcePath = "config.openshift.io/v1/schedulers"

	Etcds                  ResourcePath = "operator.openshift.io/v1/etcds"
	KubeAPIServers         ResourcePath = "operator.openshift.io/v1/kubeapiservers"
	KubeControllerManagers ResourcePath = "operator.openshift.io/v1/kubecontrollermanagers"
	KubeSchedulers         ResourcePath = "operator.openshift.io/v1/kubeschedulers"

	IngressControllers ResourcePath = "operator.openshift.io/v1/ingresscontrollers@openshift-ingress-operator"
	Definitions        ResourcePath = "apiextensions.k8s.io/v1/customresourcedefinitions"
	ConsoleRoutes      ResourcePath = "route.openshift.io/v1/routes@openshift-console"
)

func (p ResourcePath) urlPath() string {
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
func (p ResourcePath) String() string {
	path, _, _ := strings.Cut(string(p), "@")
	return path[strings.LastIndex(path, "/")+1:]
}
