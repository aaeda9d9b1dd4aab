package manifests_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/manifests"
	"exoshift/state"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	return s
}

func credentials() manifests.Credentials {
	return manifests.Credentials{CloudController: state.APIKey{Key: "EXO0123", Secret: "very-secret"}}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func object(apiVersion, kind, name string) string {
	return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: " + name + "}\n"
}

func configMap(name string) string { return object("v1", "ConfigMap", name) }

func machineConfig(name string) string {
	return object("machineconfiguration.openshift.io/v1", "MachineConfig", name)
}

func byName(t *testing.T, s state.Spec) map[string]string {
	t.Helper()
	collected, err := manifests.Collect(s, credentials(), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range collected {
		found[m.Name] = string(m.Content)
	}
	return found
}

const (
	parseVaultSecret = `apiVersion: v1
kind: Secret
metadata:
  name: exoscale-credentials
  namespace: syn-exoscale-cloud-controller-manager
stringData:
  api-key: ?{vaultkv:t-1/c-1/exoscale/ccm/access_key:0a1b2c3d}
  api-secret: ?{vaultkv:t-1/c-1/exoscale/ccm/secret_key:0a1b2c3d}
  api-zone: ch-gva-2
`
	ciliumConfig = `apiVersion: cilium.io/v1alpha1
kind: CiliumConfig
metadata: {name: cilium, namespace: cilium}
spec: {cilium: {kubeProxyReplacement: 'true'}}
`
)

func catalog(t *testing.T) string {
	return folder(t, map[string]string{
		"refs/t-1/secret": "reference",
		"manifests/openshift4-nodes/10_machineconfigs.yaml":                      machineConfig("99x-worker-ssh") + "---\n" + machineConfig("99x-app-ssh"),
		"manifests/openshift4-nodes/10_kubeletconfigs.yaml":                      "not: taken\n",
		"manifests/exoscale-cloud-controller-manager/manager/01_secret.yaml":     parseVaultSecret,
		"manifests/exoscale-cloud-controller-manager/manager/20_deployment.yaml": object("apps/v1", "Deployment", "exoscale-cloud-controller-manager"),
		"manifests/cilium/olm/99_cleanup.yaml":                                   "not: taken\n",
		"manifests/cilium/olm/98_policies/allow.yaml":                            "not: taken\n",
		"manifests/cilium/olm/97_README.md":                                      "discarded.",
		"manifests/cilium/olm/cluster-network-06-cilium-operator.yaml":           object("apps/v1", "Deployment", "cilium-olm"),
		"manifests/cilium/olm/cluster-network-07-cilium-ciliumconfig.yaml":       ciliumConfig,
	})
}

func TestCollect_CatalogManifests(t *testing.T) {
	s := spec()
	s.Syn.CatalogDir, s.Network.CNI, s.OpenShift.CloudControllerManager = catalog(t), "Cilium", "External"
	found := byName(t, s)
	var secret struct {
		StringData map[string]string `yaml:"stringData"`
	}
	if err := yaml.Unmarshal([]byte(found["manifests/exoscale_ccm_01_secret.yaml"]), &secret); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"api-key": "EXO0123", "api-secret": "very-secret", "api-zone": "ch-gva-2"}
	if diff := cmp.Diff(want, secret.StringData); diff != "" {
		t.Error(diff)
	}
	for name, part := range map[string]string{
		"openshift/99x_openshift-machineconfig_99x-worker-ssh.yml":     "name: 99x-worker-ssh",
		"openshift/99x_openshift-machineconfig_99x-app-ssh.yml":        "name: 99x-app-ssh",
		"manifests/exoscale_ccm_20_deployment.yaml":                    "Deployment",
		"manifests/cilium_cluster-network-07-cilium-ciliumconfig.yaml": ciliumConfig,
		"manifests/cilium_cluster-network-06-cilium-operator.yaml":     "cilium-olm",
		"manifests/cluster-network-03-config.yml":                      "deployKubeProxy: false",
		"manifests/exoscale_ccm_01_secret.yaml":                        "\"namespace\": \"syn-exoscale-cloud-controller-manager\"",
	} {
		if !strings.Contains(found[name], part) {
			t.Errorf("%s: %q", name, found[name])
		}
	}
	if len(found) != 7 {
		t.Errorf("%d manifests instead of 7", len(found))
	}
}

func TestCollect_AddsNothingUnneeded(t *testing.T) {
	if collected, err := manifests.Collect(spec(), manifests.Credentials{}, nil); err != nil || len(collected) != 0 {
		t.Errorf("%v, %v", collected, err)
	}
}

func TestCollect_TakesDirectoryUnchanged(t *testing.T) {
	s := spec()
	s.OpenShift.ManifestsDir = folder(t, map[string]string{
		".hidden": "\x00", "b.yml": "# a comment\n---\n" + configMap("b"), "c.json": "{\n\t\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"c\"}\n}",
		"a.yaml": configMap("a1") + "---\n" + machineConfig("a2") + "---\n# the end\n",
	})
	want := map[string]string{
		"manifests/a-01.yaml": configMap("a1"), "openshift/a-02.yaml": "---\n" + machineConfig("a2"), "manifests/b.yml": "---\n" + configMap("b"),
		"manifests/c.json": "{\n\t\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"c\"}\n}",
	}
	if diff := cmp.Diff(want, byName(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestCollect_AddsCloudController(t *testing.T) {
	s := spec()
	s.OpenShift.CloudControllerManager = "External"
	kinds := map[string]string{}
	for name, content := range byName(t, s) {
		var object struct{ Kind string }
		if err := yaml.Unmarshal([]byte(content), &object); err != nil || !strings.HasPrefix(name, "manifests/exoscale-cloud-controller-manager-0") {
			t.Errorf("%s: %v", name, err)
		}
		kinds[object.Kind] = content
	}
	for kind, part := range map[string]string{
		"Namespace": "exoscale", "ServiceAccount": "cloud", "ClusterRole": "signers", "ClusterRoleBinding": "subjects", "RoleBinding": "scc:hostnetwork",
		"Secret":     `api-secret: "very-secret"`,
		"Deployment": `value: "api-int.c-1.example.net"`,
	} {
		if !strings.Contains(kinds[kind], part) {
			t.Errorf("%s: %s", kind, kinds[kind])
		}
	}
	if _, err := manifests.Collect(s, manifests.Credentials{}, nil); !fault.Is(err, fault.Internal) {
		t.Errorf("without a key: %v", err)
	}
}

func TestCollect_KeepsGivenCloudController(t *testing.T) {
	s := spec()
	s.OpenShift.CloudControllerManager = "External"
	s.OpenShift.ManifestsDir = folder(t, map[string]string{"ccm.yaml": object("apps/v1", "DaemonSet", "my-cloud-controller-manager")})
	if found := byName(t, s); len(found) != 1 {
		t.Errorf("%d manifests", len(found))
	}
}

func TestCollect_SetsNetworkOperatorRanges(t *testing.T) {
	s := spec()
	s.Network.CNI, s.Network.PodCIDR, s.Network.HostPrefix, s.Network.ServiceCIDR = "Cilium", "10.64.0.0/12", 24, "172.16.0.0/16"
	s.OpenShift.ManifestsDir = folder(t, map[string]string{"cilium.yaml": ciliumConfig})
	const want = `apiVersion: operator.openshift.io/v1
kind: Network
metadata:
  name: cluster
spec:
  clusterNetwork:
  - cidr: 10.64.0.0/12
    hostPrefix: 24
  deployKubeProxy: false
  externalIP:
    policy: {}
  networkType: Cilium
  serviceNetwork:
  - 172.16.0.0/16
`
	if diff := cmp.Diff(want, byName(t, s)["manifests/cluster-network-03-config.yml"]); diff != "" {
		t.Error(diff)
	}
	s.OpenShift.ManifestsDir = folder(t, map[string]string{
		"cilium.yaml": ciliumConfig, "operator.yaml": object("operator.openshift.io/v1", "Network", "cluster"),
	})
	if found := byName(t, s); len(found) != 2 {
		t.Errorf("the operator's settings of the directory are not the only ones: %d manifests", len(found))
	}
}

func TestCollect_AddsStorageDriver(t *testing.T) {
	keys := credentials()
	keys.StorageDriver = state.APIKey{Key: "EXO0456", Secret: "also-secret"}
	collect := func(change func(*state.Spec)) map[string]string {
		s := spec()
		change(&s)
		collected, err := manifests.Collect(s, keys, nil)
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]string{}
		for _, m := range collected {
			var object struct{ Kind string }
			if err := yaml.Unmarshal(m.Content, &object); err != nil {
				t.Fatal(err)
			}
			kinds[object.Kind] += string(m.Content)
		}
		return kinds
	}
	kinds := collect(func(*state.Spec) {})
	for kind, part := range map[string]string{
		"Namespace": "exoscale-csi-driver", "CSIDriver": "csi.exoscale.com", "StorageClass": `is-default-class: "true"`, "DaemonSet": "--mode=node",
		"Deployment": "--mode=controller", "RoleBinding": "scc:privileged", "Secret": `EXOSCALE_API_SECRET: "also-secret"`,
	} {
		if !strings.Contains(kinds[kind], part) {
			t.Errorf("%s: %s", kind, kinds[kind])
		}
	}
	for name, change := range map[string]func(*state.Spec){
		"Project Syn": func(s *state.Spec) { s.Syn.LieutenantURL = "https://api.syn.example.net" },
		"a catalog": func(s *state.Spec) {
			s.Syn.CatalogDir = folder(t, map[string]string{"manifests/a.yaml": configMap("a")})
		},
		"the driver's own": func(s *state.Spec) {
			s.OpenShift.ManifestsDir = folder(t, map[string]string{"a.yaml": object("storage.k8s.io/v1", "CSIDriver", "csi.exoscale.com")})
		},
		"its deployment": func(s *state.Spec) {
			s.OpenShift.ManifestsDir = folder(t, map[string]string{"a.yaml": object("apps/v1", "Deployment", "exoscale-csi-controller")})
		},
	} {
		if kinds := collect(change); kinds["StorageClass"] != "" || strings.Contains(kinds["Namespace"], "exoscale-csi-driver") {
			t.Errorf("with %s there is another driver: %v", name, kinds)
		}
	}
	another := collect(func(s *state.Spec) {
		s.OpenShift.ManifestsDir = folder(t, map[string]string{"a.yaml": object("storage.k8s.io/v1", "CSIDriver", "csi.example.net")})
	})
	if another["StorageClass"] == "" {
		t.Error("the driver of another storage replaces it")
	}
}
