package openshift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

const (
	ciliumAgent    = "cilium" // the image's name
	ciliumKind     = "Cilium" // as network type
	ciliumResource = "ciliumconfigs.cilium.io"
	ciliumImage    = "quay.io/cilium/cilium"
)

// syncCilium is Cilium's operator: once one of its pods runs beside a CiliumConfig, it installs the agents.
func (k *controllers) syncCilium(seen clusterSnapshot) error {
	for _, config := range k.objects.List(ciliumResource, "") {
		if !isOperatorRunning(seen, config.Namespace()) || !k.hasLasted("cilium/"+config.Namespace(), "", 30*time.Second) {
			continue
		}
		agents := buildCiliumAgents(config)
		err := k.objects.Ensure(daemonSetResource, config.Namespace(), agents, func(o kube.Object) error {
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
			{"name": "KUBERNETES_SERVICE_PORT", "value": cmp.Or(value("k8sServicePort"), strconv.Itoa(apiPort))}}
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

// runCilium is the agent on a node. Service addresses are not translated before it runs, so its environment must name the API
// server.
func (k *kubelet) runCilium(ctx context.Context, env map[string]string, running func()) error {
	if err := k.cluster.checkNetworkType(ciliumKind); err != nil {
		return err
	}
	api, err := newClient(k.machine, access{server: getAPIAddress(env), authority: k.access.authority}, k.cluster.getTimeout())
	if err != nil {
		return err
	}
	defer api.close()
	if _, err := api.get(ctx, "/readyz"); err != nil {
		return fmt.Errorf("unable to contact k8s api-server: %w", err)
	}
	running()
	<-ctx.Done()
	return ctx.Err()
}

// checkNetworkType returns nil if the network operator's configuration leaves nodes and services to another plugin; otherwise
// kube-proxy and that plugin conflict.
func (c *cluster) checkNetworkType(kind string) error {
	operator, ok := c.objects.Get("networks.operator.openshift.io", "", "cluster")
	proxy, told := operator.Get("spec.deployKubeProxy").(bool)
	switch plugin := cmp.Or(operator.GetString("spec.networkType"), operator.GetString("spec.defaultNetwork.type")); {
	case !ok:
		return errors.New("there is no Network of operator.openshift.io named cluster")
	case !strings.EqualFold(plugin, kind):
		return fmt.Errorf("the Network of operator.openshift.io is of type %q, not %s", plugin, kind)
	case !told || proxy:
		return errors.New("the Network of operator.openshift.io does not set deployKubeProxy to false")
	}
	return nil
}
