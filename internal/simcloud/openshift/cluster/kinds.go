package cluster

import "exoshift/internal/simcloud/kube"

// Resources that controllers and kubelets use, as GroupResource.
const (
	NodeResource      = "nodes"
	PodResource       = "pods"
	ConfigMapResource = "configmaps"
	SecretResource    = "secrets"
	EventResource     = "events"
	CSRResource       = "certificatesigningrequests.certificates.k8s.io"
	EtcdResource      = "etcds.operator.openshift.io"
	IngressResource   = "ingresscontrollers.operator.openshift.io"
	VersionResource   = "clusterversions.config.openshift.io"
	OperatorResource  = "clusteroperators.config.openshift.io"
	RouteResource     = "routes.route.openshift.io"
	PoolResource      = "machineconfigpools.machineconfiguration.openshift.io"
)

// listKinds lists the kinds that OpenShift adds to the API of Kubernetes, as far as the simulation or our clients use them.
func listKinds() []kube.Kind {
	var list []kube.Kind
	versioned := func(group, version string, namespaced bool, pairs ...string) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, kube.Kind{Group: group, Version: version, Resource: pairs[i], Kind: pairs[i+1], Namespaced: namespaced, Status: true})
		}
	}
	add := func(group string, namespaced bool, pairs ...string) { versioned(group, "v1", namespaced, pairs...) }
	add("config.openshift.io", false, "clusterversions", "ClusterVersion", "clusteroperators", "ClusterOperator", "infrastructures", "Infrastructure",
		"dnses", "DNS", "ingresses", "Ingress", "networks", "Network", "proxies", "Proxy", "schedulers", "Scheduler", "oauths", "OAuth",
		"apiservers", "APIServer", "consoles", "Console", "featuregates", "FeatureGate", "images", "Image", "builds", "Build",
		"projects", "Project", "operatorhubs", "OperatorHub", "imagedigestmirrorsets", "ImageDigestMirrorSet",
		"imagetagmirrorsets", "ImageTagMirrorSet")
	add("apiserver.openshift.io", false, "apirequestcounts", "APIRequestCount")
	add("operator.openshift.io", false, "etcds", "Etcd", "kubeapiservers", "KubeAPIServer", "kubecontrollermanagers", "KubeControllerManager",
		"kubeschedulers", "KubeScheduler", "consoles", "Console", "networks", "Network", "storages", "Storage")
	add("operator.openshift.io", true, "ingresscontrollers", "IngressController")
	add("imageregistry.operator.openshift.io", false, "configs", "Config")
	add("samples.operator.openshift.io", false, "configs", "Config")
	add("machineconfiguration.openshift.io", false, "machineconfigs", "MachineConfig", "machineconfigpools", "MachineConfigPool",
		"kubeletconfigs", "KubeletConfig", "containerruntimeconfigs", "ContainerRuntimeConfig")
	add("security.openshift.io", false, "securitycontextconstraints", "SecurityContextConstraints")
	add("monitoring.coreos.com", true, "servicemonitors", "ServiceMonitor", "podmonitors", "PodMonitor", "prometheusrules", "PrometheusRule")
	add("operators.coreos.com", true, "operatorgroups", "OperatorGroup")
	versioned("operators.coreos.com", "v1alpha1", true, "subscriptions", "Subscription", "catalogsources", "CatalogSource",
		"clusterserviceversions", "ClusterServiceVersion", "installplans", "InstallPlan")
	versioned("operator.openshift.io", "v1alpha1", false, "imagecontentsourcepolicies", "ImageContentSourcePolicy")
	add("route.openshift.io", true, "routes", "Route")
	return list
}

// RegisterKinds adds the kinds of OpenShift to an API.
func RegisterKinds(objects *kube.Objects) error {
	for _, kind := range listKinds() {
		if err := objects.Ensure("customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition(), nil); err != nil {
			return err
		}
	}
	return nil
}

// CreateNamespaces creates the namespaces of a release that other manifests may refer to.
func CreateNamespaces(objects *kube.Objects) error {
	for _, namespace := range []string{"default", "kube-system", "kube-public", "kube-node-lease", "openshift", "openshift-config",
		"openshift-config-managed", "openshift-etcd", "openshift-etcd-operator", "openshift-ingress", "openshift-ingress-operator",
		"openshift-console", "openshift-machine-config-operator", "openshift-kube-apiserver", "openshift-cluster-version",
		"openshift-machine-api", "openshift-authentication", "openshift-monitoring", "openshift-marketplace", "openshift-network-operator",
		"openshift-image-registry", "openshift-infra", "openshift-operators", "openshift-ovn-kubernetes", "openshift-cloud-controller-manager",
		"openshift-kube-scheduler", "openshift-kube-controller-manager", "openshift-operator-lifecycle-manager"} {
		if err := objects.Ensure("namespaces", "", kube.NewNamed(namespace), nil); err != nil {
			return err
		}
	}
	return nil
}

// Resources of workloads, as GroupResource.
const (
	DeploymentResource  = "deployments.apps"
	DaemonSetResource   = "daemonsets.apps"
	StatefulSetResource = "statefulsets.apps"
	JobResource         = "jobs.batch"
	AccountResource     = "serviceaccounts"
)
