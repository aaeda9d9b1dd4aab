package wizard_test

import (
	"os"
	"strings"
	"testing"

	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// Each case breaks one rule that openshift-install or a cluster has for its install-config. Keys that the answers lack
// cannot be wrong. The instances of a role are 3 or more, so there are always enough compute replicas to keep masters
// unschedulable and the infrastructure highly available.
func TestCheck_InstallConfigRules(t *testing.T) {
	const pull = "openshift.pullSecret  "
	for name, c := range map[string]struct{ old, new, want string }{
		"metadata.name: a DNS name":                {"id: c-demo-1", "id: c_demo", `f:3:15  cluster.id  "c_demo" is not a valid DNS label`},
		"metadata.name: its length":                {"id: c-demo-1", "id: " + strings.Repeat("a", 55), `f:3:15  cluster.id  "` + strings.Repeat("a", 55) + `" is not a valid DNS label (55 characters)`},
		"baseDomain: a DNS name":                   {"example.net}", "example..net}", `f:3:37  cluster.baseDomain  "example..net" is not a valid domain`},
		"baseDomain: its length with the name":     {"example.net}", strings.Repeat("abcdefg.", 31) + "net}", "f:3:37  cluster.baseDomain  the cluster domain <id>.<baseDomain> has 260 characters"},
		"platform: cloudControllerManager":         {"", "  cloudControllerManager: Internal\n", `f:9:27  openshift.cloudControllerManager  "Internal" is not known  allowed: External`},
		"networkType: OpenShiftSDN":                {"", "network: {cni: OpenShiftSDN}\n", `f:9:16  network.cni  "OpenShiftSDN" is not known  allowed: one of OVNKubernetes, Cilium`},
		"networkType: Kuryr":                       {"", "network: {cni: Kuryr}\n", `f:9:16  network.cni  "Kuryr" is not known`},
		"networkType: one with manifests":          {"", "network: {cni: Cilium}\n", `f:9:16  network.cni  Cilium requires manifests from a catalog or a directory`},
		"machineNetwork: a CIDR":                   {"", "network: {nodeCIDR: 10.0.0.0}\n", `f:9:21  network.nodeCIDR  "10.0.0.0" is not a valid CIDR`},
		"clusterNetwork: room for a node":          {"", "network: {hostPrefix: 13}\n", `f:9:23  network.hostPrefix  a /13 per node does not fit into 10.128.0.0/14`},
		"clusterNetwork: room for all nodes":       {"", "network: {hostPrefix: 17}\n", `f:9:23  network.hostPrefix  10.128.0.0/14 has room for 8 nodes`},
		"serviceNetwork: not too wide":             {"", "network: {serviceCIDR: 172.0.0.0/11}\n", `f:9:24  network.serviceCIDR  "172.0.0.0/11" is too large`},
		"serviceNetwork: exactly one":              {"", "network: {serviceCIDR: [172.30.0.0/16, 172.31.0.0/16]}\n", `f:9:24  network.serviceCIDR  is a list, not text`},
		"CIDR: machine network canonical":          {"", "network: {nodeCIDR: 10.0.0.1/16}\n", `f:9:21  network.nodeCIDR  "10.0.0.1/16" has host bits set`},
		"CIDR: cluster network canonical":          {"", "network: {podCIDR: 10.129.0.0/14}\n", `f:9:20  network.podCIDR  "10.129.0.0/14" has host bits set`},
		"CIDR: service network canonical":          {"", "network: {serviceCIDR: 172.30.1.0/16}\n", `f:9:24  network.serviceCIDR  "172.30.1.0/16" has host bits set`},
		"CIDR: service beside cluster":             {"", "network: {serviceCIDR: 10.130.0.0/16}\n", `f:9:24  network.serviceCIDR  10.130.0.0/16 overlaps network.podCIDR`},
		"CIDR: machine beside cluster":             {"", "network: {nodeCIDR: 10.0.0.0/8}\n", `f:9:21  network.nodeCIDR  10.0.0.0/8 overlaps network.podCIDR`},
		"CIDR: machine beside service":             {"", "network: {nodeCIDR: 172.30.0.0/24}\n", `f:9:21  network.nodeCIDR  172.30.0.0/24 overlaps network.serviceCIDR`},
		"CIDR: OVN's join network":                 {"", "network: {nodeCIDR: 100.64.0.0/24}\n", `f:9:21  network.nodeCIDR  100.64.0.0/24 overlaps the join network`},
		"CIDR: OVN's transit network":              {"", "network: {nodeCIDR: 100.88.0.0/24}\n", `f:9:21  network.nodeCIDR  100.88.0.0/24 overlaps the transit network`},
		"CIDR: OVN's masquerade network":           {"", "network: {nodeCIDR: 169.254.64.0/24}\n", `f:9:21  network.nodeCIDR  169.254.64.0/24 overlaps the masquerade network`},
		"controlPlane.replicas: 1":                 {"", "sizing: {controlPlane: {count: 1}}\n", `f:9:32  sizing.controlPlane.count  1 is out of range  allowed: exactly 3`},
		"controlPlane.replicas: 2":                 {"", "sizing: {controlPlane: {count: 2}}\n", `f:9:32  sizing.controlPlane.count  2 is out of range`},
		"compute.replicas: 0, masters schedulable": {"", "sizing: {workers: {count: 0}}\n", `f:9:27  sizing.workers.count  0 is out of range  allowed: 3 or more`},
		"compute.replicas: 1, SingleReplica":       {"", "sizing: {infra: {count: 1}}\n", `f:9:25  sizing.infra.count  1 is out of range  allowed: 0, or 3 or more`},
		"mastersSchedulable":                       {"", "  mastersSchedulable: true\n", `f:9:3  openshift.mastersSchedulable  unknown key`},
		"pools: names":                             {"", "sizing: {compute: {count: 3}}\n", `f:9:10  sizing.compute  unknown key`},
		"pools: hyperthreading":                    {"", "sizing: {workers: {hyperthreading: Disabled}}\n", `f:9:20  sizing.workers.hyperthreading  unknown key`},
		"pools: architecture":                      {"", "sizing: {workers: {architecture: arm64}}\n", `f:9:20  sizing.workers.architecture  unknown key`},
		"publish":                                  {"", "  publish: Internal\n", `f:9:3  openshift.publish  unknown key`},
		"credentialsMode":                          {"", "  credentialsMode: Manual\n", `f:9:3  openshift.credentialsMode  unknown key`},
		"fips: an SSH key for it":                  {"", "  fips: true\n", "f:8:11  openshift.sshKey  an ssh-ed25519 key cannot be used in FIPS mode (openshift.fips)  allowed: an RSA or ECDSA key"},
		"fips: not of OKD":                         {"  version: 4.20.5\n  pullSecret: {env: PULL_SECRET}\n  sshKey: " + key, "  version: 4.20.0-okd-scos.11\n  distribution: okd\n  fips: true\n  sshKey: " + curveKey, "f:8:9  openshift.fips  OKD has no FIPS mode"},
		"imageContentSources":                      {"", "  imageContentSources: []\n", `f:9:3  openshift.imageContentSources  unknown key`},
		"additionalTrustBundlePolicy":              {"", "  trustBundlePolicy: Always\n", `f:9:3  openshift.trustBundlePolicy  unknown key`},
		"pullSecret: JSON":                         {"{env: PULL_SECRET}", "{env: NO_JSON}", "f:7:16  " + pull + "the pull secret is not valid JSON"},
		"pullSecret: auths":                        {"{env: PULL_SECRET}", "{env: NO_AUTHS}", "f:7:16  " + pull + "the pull secret has no auths"},
		"pullSecret: auth of each":                 {"{env: PULL_SECRET}", "{env: NO_AUTH}", "f:7:16  " + pull + `the pull secret has no auth for "a"`},
		"sshKey: a public key":                     {key, "ssh-ed25519 nonsense", "f:8:11  openshift.sshKey  the value is not an SSH public key"},
		"sshKey: not the private key":              {key, `"-----BEGIN OPENSSH PRIVATE KEY-----"`, "f:8:11  openshift.sshKey  this is a private key"},
		"sshKey: strongly advised":                 {"  sshKey: " + key + "\n", "", "f:5:1  openshift.sshKey  is missing"},
		"additionalTrustBundle: certificates":      {"", "  trustBundle: ca.pem\n", "f:9:16  openshift.trustBundle  ca.pem, line 1: not a PEM certificate"},
		"additionalTrustBundle: nothing else":      {"", "  trustBundle: key.pem\n", "f:9:16  openshift.trustBundle  key.pem contains a private key"},
		"proxy: httpProxy by http":                 {"", "  proxy: {http: 'https://p:1'}\n", "f:9:17  openshift.proxy.http  unsupported proxy scheme  allowed: http://host:port"},
		"proxy: httpsProxy by http or https":       {"", "  proxy: {https: 'socks5://p:1'}\n", "f:9:18  openshift.proxy.https  unsupported proxy scheme"},
		"capabilities: a known set":                {"", "  capabilities: {baselineCapabilitySet: v4.10}\n", `f:9:41  openshift.capabilities.baselineCapabilitySet  "v4.10" is not known`},
		"capabilities: a known name":               {"", "  capabilities: {additionalEnabledCapabilities: [Konsole]}\n", `f:9:50  openshift.capabilities.additionalEnabledCapabilities[0]  "Konsole" is not a known capability`},
		"capabilities: what is always needed":      {"", "  capabilities: {baselineCapabilitySet: None, additionalEnabledCapabilities: [CloudCredential, ImageRegistry]}\n", "f:9:78  openshift.capabilities.additionalEnabledCapabilities  Ingress is left out"},
		"capabilities: what marketplace needs":     {"", "  capabilities: {baselineCapabilitySet: v4.11, additionalEnabledCapabilities: [CloudCredential, ImageRegistry, Ingress]}\n", "f:9:79  openshift.capabilities.additionalEnabledCapabilities  OperatorLifecycleManager is left out: marketplace needs it"},
		"imageDigestSources: no tag":               {"", "  imageDigestSources: {quay.io/a: 'mirror.example.net/a:1'}\n", `f:9:35  openshift.imageDigestSources.quay.io/a  "mirror.example.net/a:1" is not a repository`},
		"proxy: one at least":                      {"", "  proxy: {noProxy: a}\n", "f:9:20  openshift.proxy.noProxy  no proxy is set"},
		"proxy: noProxy without spaces":            {"", "  proxy: {http: 'http://p:1', noProxy: 'a, b'}\n", `f:9:40  openshift.proxy.noProxy  " b" is not a valid address, CIDR or domain`},
		"proxy: noProxy without wildcards":         {"", "  proxy: {http: 'http://p:1', noProxy: 'a,*.b'}\n", `f:9:40  openshift.proxy.noProxy  "*.b" is not a valid`},
		"proxy: outside of the cluster network":    {"", "  proxy: {http: 'http://10.128.0.1:1'}\n", "f:9:17  openshift.proxy.http  10.128.0.1 is inside network.podCIDR"},
		"proxy: outside of the service network":    {"", "  proxy: {https: 'http://172.30.0.1:1'}\n", "f:9:18  openshift.proxy.https  172.30.0.1 is inside network.serviceCIDR"},
	} {
		t.Run(name, func(t *testing.T) {
			faults := installConfigFaults(t, c.old, c.new)
			if len(faults) != 1 || !strings.HasPrefix(faults[0].String(), c.want) {
				t.Errorf("want %s\ngot  %s", c.want, lines(faults))
			}
		})
	}
}

const curveKey = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBIQuBgz8Ie+LCEtZr6NsCxbS3n2RrHh3IGIdMa0RfY3vZef8D4vngRic9tasFIzZqClPsLzjR1wrqhYLgG1zHNM= fips@example.net"

func TestCheck_FIPSWithKeyForIt(t *testing.T) {
	if faults := installConfigFaults(t, key, curveKey+"\n  fips: true"); len(faults) > 0 {
		t.Errorf("refused: %s", lines(faults))
	}
}

// installConfigFaults loads valid answers with one replacement or addition.
func installConfigFaults(t *testing.T, old, replacement string) []wizard.Problem {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"ca.pem": "nonsense", "key.pem": "-----BEGIN PRIVATE KEY-----"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	content := minimal + replacement
	if old != "" {
		content = strings.Replace(minimal, old, replacement, 1)
	}
	_, _, faults := answersfile.Load("f", []byte(content), environment(map[string]string{
		"EXOSCALE_API_KEY": "k", "EXOSCALE_API_SECRET": "s", "PULL_SECRET": pullSecret,
		"NO_JSON": "nonsense", "NO_AUTHS": "{}", "NO_AUTH": strings.Replace(pullSecret, `{"auths": {`, `{"auths": {"a": {}, `, 1),
	}))
	return faults
}
