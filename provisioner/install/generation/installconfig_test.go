package generation

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func TestInstallConfig_FollowsSpec(t *testing.T) {
	s := spec()
	s.OpenShift.Proxy.HTTP, s.OpenShift.CloudControllerManager = "http://proxy:3128", "External"
	s.OpenShift.TrustBundle = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(s.OpenShift.TrustBundle, []byte("PEM\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.OpenShift.Proxy.NoProxy = ".corp.example,10.9.0.0/24"
	s.OpenShift.ImageDigestSources = map[string]string{"quay.io/b": "mirror.example.net/b", "quay.io/a": "mirror.example.net/a other.example.net/a"}
	s.OpenShift.Capabilities = state.CapabilitiesSpec{Baseline: "v4.16", Additional: []string{"OperatorLifecycleManagerV1"}}
	s.OpenShift.FIPS = true
	rendered, err := buildInstallConfig(s, s.OpenShift.SSHKey, `{"auths":{}}`, "192.0.2.10", "192.0.2.11")
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := yaml.Unmarshal(rendered, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "v1",
		"metadata":   map[string]any{"name": "c-1"},
		"baseDomain": "example.net",
		"platform":   map[string]any{"external": map[string]any{"platformName": "exoscale", "cloudControllerManager": "External"}},
		"networking": map[string]any{
			"networkType":    "OVNKubernetes",
			"machineNetwork": []any{map[string]any{"cidr": "10.0.0.0/16"}},
			"clusterNetwork": []any{map[string]any{"cidr": "10.128.0.0/14", "hostPrefix": uint64(23)}},
			"serviceNetwork": []any{"172.30.0.0/16"},
		},
		"controlPlane": map[string]any{"name": "master", "replicas": uint64(3), "hyperthreading": "Enabled"},
		"compute":      []any{map[string]any{"name": "worker", "replicas": uint64(10), "hyperthreading": "Enabled"}},
		"proxy": map[string]any{
			"httpProxy": "http://proxy:3128", "noProxy": ".corp.example,10.9.0.0/24,.c-1.example.net,192.0.2.10,192.0.2.11",
		},
		"imageDigestSources": []any{
			map[string]any{"source": "quay.io/a", "mirrors": []any{"mirror.example.net/a", "other.example.net/a"}},
			map[string]any{"source": "quay.io/b", "mirrors": []any{"mirror.example.net/b"}},
		},
		"capabilities":                map[string]any{"baselineCapabilitySet": "v4.16", "additionalEnabledCapabilities": []any{"OperatorLifecycleManagerV1"}},
		"additionalTrustBundle":       "PEM\n",
		"additionalTrustBundlePolicy": "Always",
		"fips":                        true,
		"pullSecret":                  `{"auths":{}}`,
		"sshKey":                      "ssh-ed25519 AAAA",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInstallConfig_NamesMissingTrustBundle(t *testing.T) {
	s := spec()
	s.OpenShift.TrustBundle = "/nowhere/ca.pem"
	if _, err := buildInstallConfig(s, "", "{}"); err == nil || !strings.Contains(err.Error(), "/nowhere/ca.pem") {
		t.Errorf("%v", err)
	}
}

func TestInstallConfig_HasExpectedFieldsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		set        func(*state.Spec)
		pullSecret string
		want       map[string]string // by field; "" is none
	}{
		"nothing special": {func(*state.Spec) {}, "{}", map[string]string{
			"pullSecret": "{}", "additionalTrustBundle": "", "additionalTrustBundlePolicy": "", "proxy": "", "fips": ""}},
		"OKD":                   {func(s *state.Spec) { s.OpenShift.Distribution = "okd" }, "", map[string]string{"pullSecret": `{"auths":{"fake":{"auth":"aWQ6cGFzcwo="}}}`}},
		"OKD with a secret":     {func(s *state.Spec) { s.OpenShift.Distribution = "okd" }, "{1}", map[string]string{"pullSecret": "{1}"}},
		"no secret, and no OKD": {func(*state.Spec) {}, "", map[string]string{"pullSecret": ""}},
		"Cilium":                {func(s *state.Spec) { s.Network.CNI = "Cilium" }, "{}", map[string]string{"networking.networkType": "Cilium"}},
		"no cloud controller":   {func(*state.Spec) {}, "{}", map[string]string{"platform.external.cloudControllerManager": ""}},
	} {
		s := spec()
		c.set(&s)
		rendered, err := buildInstallConfig(s, "", c.pullSecret)
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range c.want {
			path, err := yaml.PathString("$." + key)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			if err := path.Read(bytes.NewReader(rendered), &got); want != "" && err != nil || got != want {
				t.Errorf("%s: %s is %q, %v", name, key, got, err)
			}
		}
	}
}
