package openshift

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/assets"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
)

const externalSource = `apiVersion: v1
baseDomain: example.net
metadata: {name: c-demo}
platform: {external: {platformName: exoscale, cloudControllerManager: External}}
pullSecret: '{"auths":{"quay.io":{"auth":"aWQ6cGFzcwo="}}}'
`

const controllerManifests = `apiVersion: v1
kind: Namespace
metadata: {name: ccm}
---
apiVersion: v1
kind: Secret
metadata: {name: exoscale-credentials, namespace: ccm}
stringData: {api-key: "@key@", api-secret: "@secret@", api-zone: ch-gva-2}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ccm, namespace: ccm}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ccm}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}
- {apiGroups: [""], resources: [nodes], verbs: ["*"]}
- {apiGroups: [""], resources: [nodes/status], verbs: [patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ccm}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ccm}
subjects: [{kind: ServiceAccount, name: ccm, namespace: ccm}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ccm, namespace: ccm}
spec:
  selector: {matchLabels: {app: ccm}}
  template:
    metadata: {labels: {app: ccm}}
    spec:
      serviceAccountName: ccm
      hostNetwork: true
      nodeSelector: {node-role.kubernetes.io/control-plane: ""}
      tolerations:
      - {key: node.cloudprovider.kubernetes.io/uninitialized, value: "true", effect: NoSchedule}
      - {key: node.kubernetes.io/not-ready, operator: Exists}
      - {key: node-role.kubernetes.io/master, effect: NoSchedule}
      containers:
      - name: ccm
        image: docker.io/exoscale/cloud-controller-manager:0.30.1
        env:
        - {name: KUBERNETES_SERVICE_HOST, value: api-int.c-demo.example.net}
        - {name: KUBERNETES_SERVICE_PORT, value: "6443"}
        - {name: EXOSCALE_ZONE, valueFrom: {secretKeyRef: {name: exoscale-credentials, key: api-zone}}}
        - {name: EXOSCALE_API_KEY, valueFrom: {secretKeyRef: {name: exoscale-credentials, key: api-key}}}
        - {name: EXOSCALE_API_SECRET, valueFrom: {secretKeyRef: {name: exoscale-credentials, key: api-secret}}}
`

// controlled is a cluster with an external cloud provider and changed manifests of the cloud controller.
func controlled(change func(*lab, string) string) plan {
	return plan{config: externalSource, cloud: true, manifests: func(l *lab) map[string]string {
		right := strings.NewReplacer("@key@", cloudKey, "@secret@", cloudSecret).Replace(controllerManifests)
		return map[string]string{"manifests/exoscale_ccm.yaml": change(l, right)}
	}}
}

func unchanged(_ *lab, manifests string) string { return manifests }

func replaced(old, by string) func(*lab, string) string {
	return func(l *lab, manifests string) string {
		if !strings.Contains(manifests, old) {
			l.t.Fatalf("the manifests lack %q", old)
		}
		return strings.ReplaceAll(manifests, old, by)
	}
}

func TestCloudController_IdentifiesOwnNodes(t *testing.T) {
	long(t)
	inLabOf(t, controlled(unchanged), func(t *testing.T, l *lab) {
		l.install(func() {})
		for _, node := range l.get(apiclient.NodesPath).List("items") {
			labels := node.Map("metadata.labels")
			want := []any{"exoscale://" + l.idOf(node.Name()), "ch-gva-2", "ch-gva-2", "standard.extra-large"}
			got := []any{node.GetString("spec.providerID"), labels["topology.kubernetes.io/zone"], labels["topology.kubernetes.io/region"],
				labels["node.kubernetes.io/instance-type"]}
			if diff := cmp.Diff(want, got); diff != "" || cluster.HasTaint(node, cluster.CloudTaint) {
				t.Errorf("%s: %s", node.Name(), diff)
			}
			if kinds := len(node.List("status.addresses")); kinds != 3 {
				t.Errorf("%s has %d addresses", node.Name(), kinds)
			}
		}
		if calls := l.cloud.calls.Load(); calls == 0 || calls > 10 {
			t.Errorf("the cloud controller listed the instances %d times for seven nodes", calls)
		}
	})
}

func rolePolicy(l *lab) []byte {
	l.t.Helper()
	policy, err := assets.RenderPolicy("ccm-exoscale", nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return policy
}

func TestCloudController_WorksWithGivenRole(t *testing.T) {
	ours := func(l *lab, _ string) string {
		key, secret := l.cloud.restricted(rolePolicy(l))
		manifests, err := assets.RenderCloudControllerManager(assets.CloudController{Domain: domain, Zone: cloudZone, Key: key, Secret: secret})
		if err != nil {
			l.t.Fatal(err)
		}
		return string(manifests)
	}
	inLabOf(t, controlled(ours), aMasterIsSeen)
}

func aMasterIsSeen(_ *testing.T, l *lab) {
	l.bootCluster(1, 0)
	l.until(30*time.Minute, "a node that the cloud controller has seen", func() bool {
		node := l.get(apiclient.NodesPath + "/master-0")
		return node != nil && !cluster.HasTaint(node, cluster.CloudTaint)
	})
}

// The manifests of Project Syn contain no address: the controller waits until the network plugin runs on its machine.
func TestCloudController_UsesServiceNetwork(t *testing.T) {
	const address = "        - {name: KUBERNETES_SERVICE_HOST, value: api-int.c-demo.example.net}\n        - {name: KUBERNETES_SERVICE_PORT, value: \"6443\"}\n"
	inLabOf(t, controlled(replaced(address, "")), aMasterIsSeen)
}

func TestCloudController_SurvivesRestarts(t *testing.T) {
	inLabOf(t, controlled(unchanged), func(_ *testing.T, l *lab) {
		l.bootCluster(3, 0)
		last := l.clock.Now()
		l.until(90*time.Minute, "bootstrap complete", func() bool {
			if l.clock.Now().Sub(last) > 4*time.Minute {
				l.restart()
				last = l.clock.Now()
			}
			return l.bootstrapStatus() == "complete"
		})
	})
}

// Whatever is wrong with the cloud controller, the taint stays, an event or status has the reason, and the control plane never
// becomes ready.
func TestCloudController_FailureStallsInstallation(t *testing.T) {
	long(t)
	for name, c := range map[string]struct {
		change func(*lab, string) string
		says   string
	}{
		"none":                                 {func(*lab, string) string { return "" }, ""},
		"a reference to a vault in its Secret": {replaced(`api-key: "EXOkey"`, `api-key: "?{vaultkv:a/b/c}"`), "403 Forbidden"},
		"a wrong secret":                       {replaced(`api-secret: "very`, `api-secret: "not-very`), "401 Unauthorized"},
		"another zone":                         {replaced("api-zone: ch-gva-2", "api-zone: ch-dk-2"), "failed to verify certificate"},
		"a role that may not list instances": {func(l *lab, manifests string) string {
			key, secret := l.cloud.restricted(bytes.ReplaceAll(rolePolicy(l), []byte("'list-instances', "), nil))
			return strings.NewReplacer(cloudKey, key, cloudSecret, secret).Replace(manifests)
		}, "GET /v2/instance: 403 Forbidden"},
		"a Secret of another name":           {replaced("metadata: {name: exoscale-credentials", "metadata: {name: other"), `secret "exoscale-credentials" not found`},
		"a Secret without the key":           {replaced("stringData: {api-key:", "stringData: {api-kex:"), "couldn't find key api-key in Secret ccm/exoscale-credentials"},
		"an empty zone":                      {replaced("api-zone: ch-gva-2", `api-zone: ""`), "environment variable EXOSCALE_ZONE is required"},
		"no toleration of new nodes":         {replaced("key: node.cloudprovider.kubernetes.io/uninitialized, value: \"true\"", "key: a, value: b"), "had untolerated taint {node.cloudprovider.kubernetes.io/uninitialized: true}"},
		"no toleration of masters":           {replaced("key: node-role.kubernetes.io/master", "key: b"), "had untolerated taint {node-role.kubernetes.io/master: }"},
		"no address of the API":              {replaced("KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_GUEST"), `Get "https://172.30.0.1:6443/`},
		"the address of another API":         {replaced("value: api-int.c-demo", "value: api-int.d-demo"), "no such host"},
		"no right to see nodes":              {replaced("resources: [nodes]", "resources: [pods]"), `cannot list resource "nodes"`},
		"a binding of another account":       {replaced("subjects: [{kind: ServiceAccount, name: ccm", "subjects: [{kind: ServiceAccount, name: other"), `cannot get resource "leases"`},
		"no service account":                 {replaced("kind: ServiceAccount\nmetadata: {name: ccm", "kind: ServiceAccount\nmetadata: {name: other"), `serviceaccount "ccm" not found`},
		"no namespace":                       {replaced("kind: Namespace\nmetadata: {name: ccm", "kind: Namespace\nmetadata: {name: other"), `namespaces "ccm" not found`},
		"a selector that selects other pods": {replaced("matchLabels: {app: ccm}", "matchLabels: {app: other}"), "does not match template"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inLabOf(t, controlled(c.change), func(t *testing.T, l *lab) {
				l.bootCluster(1, 0)
				l.until(40*time.Minute, "a master", func() bool { return l.ready() == 1 })
				_ = l.clock.Sleep(l.ctx, 6*time.Minute)
				for _, node := range l.get(apiclient.NodesPath).List("items") {
					if !cluster.HasTaint(node, cluster.CloudTaint) {
						t.Errorf("%s is not tainted any more", node.Name())
					}
				}
				if got := l.etcdMessage(); got != "1 members are available" {
					t.Errorf("etcd: %q", got)
				}
				if text := l.consoles() + l.podMessages(); !strings.Contains(text, c.says) {
					t.Errorf("nobody says %q:\n%s", c.says, text)
				}
			})
		})
	}
}

// podMessages returns the API's messages about pods that do not run.
func (l *lab) podMessages() string {
	text := ""
	for _, pod := range l.get("/api/v1/pods").List("items") {
		text += pod.Condition("PodScheduled").GetString("message") + "\n"
		for _, container := range pod.List("status.containerStatuses") {
			text += container.GetString("state.waiting.message") + "\n"
		}
	}
	return text
}

func TestCloudController_UnknownMasterBlocksCompletion(t *testing.T) {
	long(t)
	inLabOf(t, controlled(unchanged), func(t *testing.T, l *lab) {
		l.cloud.unknown = "master-2"
		l.boot("bootstrap", "198.18.0.10", l.file("bootstrap.ign"))
		l.boot("master-0", "198.18.0.11", l.node("master", "master-0"))
		l.boot("master-1", "198.18.0.12", l.node("master", "master-1"))
		l.boot("master-2", "198.18.0.13", l.node("master", "master-2"))
		l.until(60*time.Minute, "bootstrap complete", func() bool { return l.bootstrapStatus() == "complete" })
		_ = l.clock.Sleep(l.ctx, 15*time.Minute)
		if !cluster.HasTaint(l.get(apiclient.NodesPath+"/master-2"), cluster.CloudTaint) || cluster.HasTaint(l.get(apiclient.NodesPath+"/master-1"), cluster.CloudTaint) {
			t.Error("the wrong nodes are tainted")
		}
		operator := l.get("/apis/config.openshift.io/v1/clusteroperators/openshift-apiserver")
		if got := operator.Condition("Available"); got.GetString("status") == "True" || !strings.Contains(got.GetString("message"), "untolerated taint") {
			t.Errorf("openshift-apiserver: %v", got)
		}
		if text := l.consoles(); !strings.Contains(text, `error syncing "master-2": failed to get instance metadata for node: instance not found`) {
			t.Error(text)
		}
	})
}
