package openshift

import (
	"strings"
	"testing"
	"time"

	"exoshift/internal/simcloud/openshift/apiclient"
)

const ciliumSource = configSource + "networking: {networkType: Cilium}\n"

const networkManifest = `apiVersion: operator.openshift.io/v1
kind: Network
metadata: {name: cluster}
spec: {networkType: Cilium, deployKubeProxy: false}
`

const ciliumConfig = `apiVersion: cilium.io/v1alpha1
kind: CiliumConfig
metadata: {name: cilium, namespace: cilium}
spec: {k8sServiceHost: api-int.c-demo.example.net, k8sServicePort: 6443}
`

// The operator's definition comes after its configuration: the order of files must not matter.
const ciliumOperator = `apiVersion: v1
kind: Namespace
metadata: {name: cilium}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: cilium-olm, namespace: cilium}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cilium-olm, namespace: cilium}
spec:
  selector: {matchLabels: {name: cilium-olm}}
  template:
    metadata: {labels: {name: cilium-olm}}
    spec:
      serviceAccount: cilium-olm
      hostNetwork: true
      tolerations: [{operator: Exists}]
      containers: [{name: operator, image: "registry.connect.redhat.com/isovalent/cilium-olm@sha256:00"}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ciliumconfigs.cilium.io}
spec:
  group: cilium.io
  scope: Namespaced
  names: {plural: ciliumconfigs, singular: ciliumconfig, kind: CiliumConfig, listKind: CiliumConfigList}
  versions: [{name: v1alpha1, served: true, storage: true, subresources: {status: {}}}]
`

const ciliumDaemonSet = `apiVersion: v1
kind: Namespace
metadata: {name: cilium}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: cilium, namespace: cilium}
spec:
  selector: {matchLabels: {k8s-app: cilium}}
  template:
    metadata: {labels: {k8s-app: cilium}}
    spec:
      hostNetwork: true
      tolerations: [{operator: Exists}]
      containers:
      - {name: cilium-agent, image: "quay.io/cilium/cilium:v1.17.9", env: [{name: KUBERNETES_SERVICE_HOST, value: api-int.c-demo.example.net}, {name: KUBERNETES_SERVICE_PORT, value: "6443"}]}
`

// brought is a plan with additional manifests, by file name below manifests/.
func brought(config string, files map[string]string) plan {
	return plan{config: config, manifests: func(*lab) map[string]string {
		all := map[string]string{}
		for name, content := range files {
			all["manifests/"+name] = content
		}
		return all
	}}
}

func TestNodes_ReadyWithNetworkPlugin(t *testing.T) {
	long(t)
	const operator, config, network = "cilium_06-operator.yaml", "cilium_00-config.yaml", "cluster-network-03-config.yml"
	for name, c := range map[string]struct {
		files map[string]string
		ready bool
		says  string
	}{
		"the operator and its configuration": {map[string]string{operator: ciliumOperator, config: ciliumConfig, network: networkManifest}, true, ""},
		"the agents themselves":              {map[string]string{operator: ciliumDaemonSet, network: networkManifest}, true, ""},
		"nothing":                            {nil, false, ""},
		"no configuration":                   {map[string]string{operator: ciliumOperator, network: networkManifest}, false, ""},
		"a configuration that nobody defined": {map[string]string{operator: ciliumDaemonSet, config: ciliumConfig, network: networkManifest}, true,
			`CiliumConfig cilium: no matches for kind "CiliumConfig" in version "cilium.io/v1alpha1"`},
		"no operator": {map[string]string{operator: strings.Replace(ciliumOperator, "kind: Deployment", "kind: StatefulSet", 1), config: ciliumConfig,
			network: networkManifest}, false, ""},
		"an operator that waits for a network": {map[string]string{operator: strings.Replace(ciliumOperator, "hostNetwork: true", "hostNetwork: false", 1),
			config: ciliumConfig, network: networkManifest}, false, "NetworkPluginNotReady"},
		"no word to the network operator": {map[string]string{operator: ciliumOperator, config: ciliumConfig}, false,
			"there is no Network of operator.openshift.io named cluster"},
		"kube-proxy beside it": {map[string]string{operator: ciliumOperator, config: ciliumConfig,
			network: strings.Replace(networkManifest, "false", "true", 1)}, false, "does not set deployKubeProxy to false"},
		"another domain": {map[string]string{operator: ciliumOperator, config: strings.Replace(ciliumConfig, "c-demo", "d-demo", 1), network: networkManifest},
			false, "unable to contact k8s api-server"},
		"no address of the API": {map[string]string{operator: ciliumOperator, config: strings.Replace(ciliumConfig, "k8sServiceHost", "k8sHost", 1),
			network: networkManifest}, false, `unable to contact k8s api-server: Get "https://172.30.0.1:443`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inLabOf(t, brought(ciliumSource, c.files), func(t *testing.T, l *lab) {
				l.bootCluster(1, 0)
				l.until(30*time.Minute, "a node", func() bool { return len(l.get(apiclient.NodesPath).List("items")) == 1 })
				_ = l.clock.Sleep(l.ctx, 6*time.Minute)
				if ready := l.ready() == 1; ready != c.ready {
					t.Errorf("ready: %t\n%s", ready, l.consoles())
				}
				if text := l.consoles() + l.podMessages(); !strings.Contains(text, c.says) {
					t.Errorf("nobody says %q:\n%s", c.says, text)
				}
			})
		})
	}
}

func TestBootstrap_RefusedManifestBlocksCompletion(t *testing.T) {
	long(t)
	const manifest = "apiVersion: example.net/v1\nkind: Nothing\nmetadata: {name: a}\n"
	inLabOf(t, brought("", map[string]string{"nothing.yaml": manifest}), func(t *testing.T, l *lab) {
		l.bootCluster(3, 0)
		l.until(40*time.Minute, "bootstrap-success", func() bool { return l.get("/api/v1/namespaces/kube-system/events/bootstrap-success") != nil })
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		if l.bootstrapStatus() != "" {
			t.Error("the bootstrap is complete")
		}
		if text := l.consoles(); !strings.Contains(text, `1 manifests cannot be applied: manifests/nothing.yaml: Nothing a: no matches for kind "Nothing"`) {
			t.Error(text)
		}
	})
}
