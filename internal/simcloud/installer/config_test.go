package installer

import (
	"crypto/x509/pkix"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/certificate"
)

// change returns the minimal install-config with one text replaced.
func change(old, replacement string) string {
	return strings.Replace(minimalConfig, old, replacement, 1)
}

// with returns the minimal install-config with more lines.
func with(lines string) string { return minimalConfig + lines + "\n" }

func pods(cidr string, hostPrefix int) string {
	return with(fmt.Sprintf("networking: {clusterNetwork: [{cidr: %s, hostPrefix: %d}]}", cidr, hostPrefix))
}

func external(masters int) string {
	return strings.Replace(with(fmt.Sprintf("controlPlane: {name: master, replicas: %d}", masters)), "none: {}", "external: {platformName: exoscale}", 1)
}

// indented returns text as the body of a YAML block.
func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ")
}

// bundle returns the certificate and the key of an authority.
func bundle(t *testing.T) (authority, key string) {
	t.Helper()
	made, err := certificate.NewAuthority(pkix.Name{CommonName: "corporate"}, time.Hour, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	private, err := made.KeyPEM()
	if err != nil {
		t.Fatal(err)
	}
	return string(made.CertPEM()), string(private)
}

func TestInstallConfig_RefusesInvalid(t *testing.T) {
	authority, key := bundle(t)
	long := strings.Repeat("long-name.", 25)
	for _, test := range []struct{ config, says string }{
		{change("apiVersion: v1", "apiVersion: v2"), "apiVersion: Invalid value: \"v2\""},
		{change("c-demo", "C_Demo"), "metadata.name: Invalid value: \"C_Demo\": a lowercase RFC 1123 subdomain"},
		{change("c-demo", strings.Repeat("c", 55)), "max length is 54 characters"},
		{change("  name: c-demo", "  {}"), "metadata.name: Required value"},
		{change("example.com", "example..com"), "baseDomain: Invalid value: \"example..com\""},
		{change("example.com", long+"com"), "must be no more than 253 characters"},
		{change("none: {}", "aws: {}"), "platform: Invalid value"},
		{change("none: {}", "none: {}\n  external: {}"), "only specify a single type of platform"},
		{change("none: {}", "external: {cloudControllerManager: Internal}"), "platform.external.cloudControllerManager: Unsupported value: \"Internal\""},
		{with("publish: Internal"), "publish: Invalid value: \"Internal\""},
		{with("publish: Nowhere"), "publish: Unsupported value: \"Nowhere\""},
		{with("credentialsMode: Manual"), "credentialsMode: Invalid value: \"Manual\""},
		{change("auths", "nothing"), "auths required"},
		{change(`"auth"`, `"token"`), `auths["fake"] requires either auth or credsStore`},
		{change(`'{"auths`, `'"auths`), "pullSecret: Invalid value"},
		{change("ssh-ed25519", "ssh-nonsense"), "sshKey: Invalid value"},
		{with("additionalTrustBundle: nothing"), "additionalTrustBundle: Invalid value: \"nothing\": invalid block"},
		{with("additionalTrustBundle: |\n" + indented(authority+"# comment\n")), "invalid block"},
		{with("additionalTrustBundle: |\n" + indented(authority+key)), "invalid block"},
		{with("additionalTrustBundlePolicy: Never"), "additionalTrustBundlePolicy: Unsupported value: \"Never\""},
		{with("controlPlane: {name: master, replicas: 0}"), "controlPlane.replicas: Invalid value: 0: number of control plane replicas must be positive"},
		{with("controlPlane: {name: master, replicas: 2}"), "controlPlane.replicas: Invalid value: 2"},
		{external(1), "needs bootstrapInPlace"},
		{with("controlPlane: {name: masters, replicas: 3}"), "controlPlane.name: Unsupported value: \"masters\""},
		{with("controlPlane: {name: master, architecture: arm64}"), "controlPlane.architecture: Invalid value: \"arm64\""},
		{with("compute: [{name: infra, replicas: 3}]"), "compute[0].name: Unsupported value: \"infra\""},
		{with("compute: [{name: worker, replicas: -1}]"), "compute[0].replicas: Invalid value: -1"},
		{with("compute: [{name: worker, replicas: 1}, {name: worker, replicas: 1}]"), "compute[1].name: Duplicate value: \"worker\""},
		{with("compute: [{name: worker, hyperthreading: enabled}]"), "compute[0].hyperthreading: Unsupported value"},
		{with("networking: {networkType: OpenShiftSDN}"), "networking.networkType: Invalid value: \"OpenShiftSDN\""},
		{with("networking: {serviceNetwork: [10.0.0.0/16]}"), "service network must not overlap with machine network 10.0.0.0/16"},
		{with("networking: {serviceNetwork: [10.1.2.3/16]}"), "invalid network address. got 10.1.2.3/16, expecting 10.1.0.0/16"},
		{with("networking: {serviceNetwork: [nonsense]}"), "invalid CIDR address: nonsense"},
		{with("networking: {serviceNetwork: [172.0.0.0/11]}"), "must be /12 or greater"},
		{with("networking: {serviceNetwork: [172.30.0.0/16, 172.31.0.0/16]}"), "only one service network"},
		{with("networking: {machineNetwork: [{cidr: 100.64.8.0/24}]}"), "machine network must not overlap with the OVNKubernetes join subnet"},
		{with("networking: {machineNetwork: [{cidr: 100.88.0.0/24}]}"), "transit subnet"},
		{with("networking: {machineNetwork: [{cidr: 169.254.0.0/24}]}"), "masquerade subnet"},
		{pods("10.0.128.0/18", 23), "cluster network must not overlap with machine network"},
		{pods("10.128.0.0/14", 13), "networking.clusterNetwork[0].hostPrefix: Invalid value: 13"},
		{pods("10.128.0.0/22", 24), "room for 4 nodes, 6 are needed"},
		{with("networking: {clusterNetwork: [{cidr: 10.128.0.0/14}]}"), "hostPrefix: Invalid value: 0"},
		{with("proxy: {noProxy: example.net}"), "proxy: Required value"},
		{with("proxy: {httpProxy: 'https://proxy.example.net:3128'}"), "proxy.httpProxy: Unsupported value: \"https\""},
		{with("proxy: {httpProxy: 'proxy.example.net:3128'}"), "proxy.httpProxy: Invalid value"},
		{with("proxy: {httpProxy: 'http://172.30.0.9:3128'}"), "proxy value is part of the service networks"},
		{with("proxy: {httpProxy: 'http://p:1', noProxy: 'a, b'}"), "noProxy must not have spaces"},
		{with("proxy: {httpProxy: 'http://p:1', noProxy: 'a,*.b'}"), "violated by element 1"},
		{with("sshKey: ["), "failed to unmarshal install-config.yaml: error converting YAML to JSON"},
		{with("publish: [1]"), "cannot unmarshal array"},
		{with("fips: true"), "fips: Forbidden: target cluster is in FIPS mode, use the FIPS-capable installer binary for RHEL 9"},
		{with("fips: true"), "SSH key type ssh-ed25519 unavailable when FIPS is enabled"},
	} {
		dir := directoryWith(t, test.config)
		code, _, stderr := run(t, dir, "create", "manifests")
		if code != 3 || !strings.Contains(stderr, test.says) || !strings.Contains(stderr, "failed to create install config: ") {
			t.Errorf("%s: exit code %d, stderr %q", test.says, code, stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "manifests")); !os.IsNotExist(err) {
			t.Errorf("%s: there are manifests: %v", test.says, err)
		}
	}
	if code, _, _ := run(t, t.TempDir(), "create", "manifests"); code != 3 {
		t.Errorf("without an install-config: exit code %d", code)
	}
}

func TestInstallConfig_ReportsEveryError(t *testing.T) {
	_, _, stderr := run(t, directoryWith(t, strings.Replace(with("publish: Internal"), "v1", "v2", 1)), "create", "manifests")
	if !strings.Contains(stderr, `file: [apiVersion: `) || !strings.Contains(stderr, ", publish: ") {
		t.Error(stderr)
	}
}

func TestInstallConfig_AcceptsValid(t *testing.T) {
	authority, _ := bundle(t)
	for name, config := range map[string]string{
		"dots in the name":     change("c-demo", "c.demo"),
		"a dot at the end":     change("example.com", "example.com."),
		"one master":           with("controlPlane: {name: master, replicas: 1}"),
		"a cloud":              external(3),
		"another network":      with("networking: {networkType: Cilium, machineNetwork: [{cidr: 100.64.0.0/24}]}"),
		"exactly enough room":  pods("10.128.0.0/22", 24) + "compute: [{name: worker, replicas: 1}]\n",
		"another join subnet":  with("networking: {machineNetwork: [{cidr: 100.64.0.0/24}], ovnKubernetesConfig: {ipv4: {internalJoinSubnet: 100.99.0.0/16}}}"),
		"two authorities":      with("additionalTrustBundle: |\n" + indented(authority+authority)),
		"a proxy":              with("proxy: {httpsProxy: 'https://user:password@10.9.9.9:3128', noProxy: '10.2.0.0/16,192.0.2.1,.example.net'}"),
		"nothing by the proxy": with("proxy: {httpProxy: 'http://p:1', noProxy: '*'}"),
		"two keys":             change("demo\n", "demo\nadditionalTrustBundlePolicy: Always\n"),
	} {
		if code, _, stderr := run(t, directoryWith(t, config), "create", "manifests"); code != 0 || strings.Contains(stderr, "level=warning") {
			t.Errorf("%s: exit code %d, %s", name, code, stderr)
		}
	}
}

func TestInstallConfig_Warnings(t *testing.T) {
	for says, config := range map[string]string{
		`unknown field "colour"`:                     with("colour: blue"),
		"overlaps with default Docker Bridge subnet": with("networking: {machineNetwork: [{cidr: 172.17.0.0/24}]}"),
	} {
		code, _, stderr := run(t, directoryWith(t, config), "create", "manifests")
		if code != 0 || strings.Count(stderr, "level=warning") != 1 || !strings.Contains(stderr, says) {
			t.Errorf("%s: exit code %d, %s", says, code, stderr)
		}
	}
}

// manifest returns a manifest rendered from an install-config.
func manifest(t *testing.T, config, name string) object {
	t.Helper()
	dir := directoryWith(t, config)
	mustRun(t, dir, "create", "manifests")
	var document object
	if err := yaml.Unmarshal(read(t, dir, name), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func TestManifests_ProxyAndExceptions(t *testing.T) {
	authority, _ := bundle(t)
	trusting := with("additionalTrustBundle: |\n" + indented(authority))
	behind := "proxy: {httpProxy: 'http://p.example.net:3128', noProxy: .example.net}\n"
	const name = "manifests/cluster-proxy-01-config.yaml"
	document := manifest(t, trusting+behind, name)
	spec, status := document["spec"].(object), document["status"].(object)
	if spec["httpProxy"] != "http://p.example.net:3128" || spec["noProxy"] != ".example.net" || spec["trustedCA"].(object)["name"] != "user-ca-bundle" {
		t.Errorf("spec %v", spec)
	}
	if want := ".cluster.local,.example.net,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,172.30.0.0/16,api-int.c-demo.example.com,localhost"; status["noProxy"] != want {
		t.Errorf("status %v", status)
	}
	for config, trusted := range map[string]string{
		trusting: "", trusting + "additionalTrustBundlePolicy: Always\n": "user-ca-bundle", minimalConfig + behind: "",
	} {
		if got := manifest(t, config, name)["spec"].(object)["trustedCA"].(object)["name"]; got != trusted {
			t.Errorf("trusted is %q, not %q, with\n%s", got, trusted, config)
		}
	}
	if got := manifest(t, trusting, "manifests/user-ca-bundle-config.yaml")["data"].(object)["ca-bundle.crt"]; got != authority {
		t.Errorf("bundle %q", got)
	}
}

func TestManifests_JoinSubnet(t *testing.T) {
	config := with("networking: {ovnKubernetesConfig: {ipv4: {internalJoinSubnet: 100.99.0.0/16}}}")
	spec := manifest(t, config, "manifests/cluster-network-03-config.yml")["spec"].(object)
	if got := spec["defaultNetwork"].(object)["ovnKubernetesConfig"].(object)["ipv4"].(object)["internalJoinSubnet"]; got != "100.99.0.0/16" {
		t.Errorf("spec %v", spec)
	}
	dir := directoryWith(t, minimalConfig)
	mustRun(t, dir, "create", "manifests")
	if _, err := os.Stat(filepath.Join(dir, "manifests", "cluster-network-03-config.yml")); !os.IsNotExist(err) {
		t.Errorf("without a change: %v", err)
	}
}
