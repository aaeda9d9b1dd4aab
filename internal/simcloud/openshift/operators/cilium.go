package operators

import (
	"cmp"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

const (
	// CiliumAgent is the name of the image.
	CiliumAgent = "cilium"
	// CiliumKind is the network type.
	CiliumKind     = "Cilium"
	ciliumResource = "ciliumconfigs.cilium.io"
	ciliumImage    = "quay.io/cilium/cilium"
)

// syncCilium is Cilium's operator: once one of its pods runs beside a CiliumConfig, it installs the agents.
func (k networkOperator) syncCilium(seen clusterSnapshot) error {
	for _, config := range k.Objects.List(ciliumResource, "") {
		if !isOperatorRunning(seen, config.Namespace()) || !k.hasLasted("cilium/"+config.Namespace(), "", 30*time.Second) {
			continue
		}
		agents := buildCiliumAgents(config)
		err := k.Objects.Ensure(cluster.DaemonSetResource, config.Namespace(), agents, func(o kube.Object) error {
			o.Set("spec", agents.Get("spec"))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func isOperatorRunning(seen clusterSnapshot, namespace string) bool {
	for _, pod := range seen.pods {
		owners := pod.List("metadata.ownerReferences")
		if pod.Namespace() == namespace && len(owners) > 0 && owners[0].GetString("kind") == "Deployment" && pod.IsReady() {
			return true
		}
	}
	return false
}

// buildCiliumAgents reads the CiliumConfig's spec, which holds the values of Cilium's chart; the enterprise edition has them
// below "cilium".
func buildCiliumAgents(config kube.Object) kube.Object {
	value := func(name string) string {
		found := cmp.Or(config.Get("spec."+name), config.Get("spec.cilium."+name))
		if number, ok := found.(float64); ok {
			return strconv.Itoa(int(number))
		}
		text, _ := found.(string)
		return text
	}
	var env []kube.Object
	if host := value("k8sServiceHost"); host != "" {
		env = []kube.Object{{"name": "KUBERNETES_SERVICE_HOST", "value": host},
			{"name": "KUBERNETES_SERVICE_PORT", "value": cmp.Or(value("k8sServicePort"), strconv.Itoa(cluster.APIPort))}}
	}
	labels := kube.Object{"k8s-app": "cilium", "app.kubernetes.io/name": "cilium-agent"}
	agents := kube.Object{"metadata": kube.Object{"name": "cilium", "labels": labels}}
	agents.Set("spec", kube.Object{"selector": kube.Object{"matchLabels": kube.Object{"k8s-app": "cilium"}}, "template": kube.Object{
		"metadata": kube.Object{"labels": labels},
		"spec": kube.Object{"hostNetwork": true, "tolerations": []kube.Object{{"operator": "Exists"}},
			"containers": []kube.Object{{"name": "cilium-agent", "image": ciliumImage, "env": env}}},
	}})
	return agents
}
