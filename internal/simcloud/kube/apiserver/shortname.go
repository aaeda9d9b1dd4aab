package apiserver

import "exoshift/internal/simcloud/kube"

// listShortNames returns kubectl's short names of a resource.
func listShortNames(resource string) []string {
	short := map[string]string{
		"namespaces": "ns", "nodes": "no", "pods": "po", "configmaps": "cm", "services": "svc", "serviceaccounts": "sa", "endpoints": "ep",
		"events": "ev", "persistentvolumes": "pv", "persistentvolumeclaims": "pvc", "deployments.apps": "deploy", "daemonsets.apps": "ds",
		"statefulsets.apps": "sts", "events.events.k8s.io": "ev", "storageclasses.storage.k8s.io": "sc", kube.CSRResource: "csr", kube.DefinitionResource: "crd",
		"clusteroperators.config.openshift.io": "co", "machineconfigs.machineconfiguration.openshift.io": "mc",
		"machineconfigpools.machineconfiguration.openshift.io": "mcp",
	}
	if name, ok := short[resource]; ok {
		return []string{name}
	}
	return nil
}
