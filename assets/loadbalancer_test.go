package assets_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"exoshift/assets"
)

var update = flag.Bool("update", false, "write the golden files anew")

func demo() assets.LoadBalancer {
	return assets.LoadBalancer{Domain: "c-demo-1.example.net", Masters: 3, Routers: 4}
}

func TestHAProxyConfig_Golden(t *testing.T) {
	plain, proxy := demo(), demo()
	proxy.ProxyProtocol = true
	for golden, lb := range map[string]assets.LoadBalancer{"haproxy.golden": plain, "haproxy-proxy.golden": proxy} {
		got, err := assets.RenderHAProxyConfig(lb)
		if err != nil {
			t.Fatal(err)
		}
		compareGolden(t, "testdata/"+golden, got)
	}
}

type cloudConfig struct {
	Keys          []string `yaml:"ssh_authorized_keys"`
	PackageUpdate bool     `yaml:"package_update"`
	Packages      []string `yaml:"packages"`
	Apt           struct{ Conf string }
	WriteFiles    []struct {
		Path, Owner, Permissions, Content string
	} `yaml:"write_files"`
	RunCmd [][]string `yaml:"runcmd"`
}

func TestLoadBalancerUserData_InstallsHAProxy(t *testing.T) {
	userData, err := assets.RenderLoadBalancerUserData(demo())
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(string(userData), "\n"); first != "#cloud-config" {
		t.Errorf("cloud-init would not recognize a document that opens with %q", first)
	}
	var document cloudConfig
	if err := yaml.UnmarshalWithOptions(userData, &document, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"haproxy", "unattended-upgrades"}, document.Packages); diff != "" {
		t.Error(diff)
	}
	config, err := assets.RenderHAProxyConfig(demo())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"/etc/haproxy/haproxy.cfg":                   string(config),
		"/etc/systemd/resolved.conf.d/exoshift.conf": "[Resolve]\nCache=no-negative\n",
	}
	got := map[string]string{}
	for _, file := range document.WriteFiles {
		got[file.Path] = file.Content
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files written (-want +got):\n%s", diff)
	}
	last := document.RunCmd[len(document.RunCmd)-1]
	if diff := cmp.Diff([]string{"systemctl", "restart", "haproxy"}, last); diff != "" {
		t.Error(diff)
	}
}

// Apt's own order decides: cloud-init writes this as 94cloud-init-config, after the image's 20auto-upgrades and
// 50unattended-upgrades.
func TestLoadBalancerUserData_UpgradesItselfWithoutReboot(t *testing.T) {
	userData, err := assets.RenderLoadBalancerUserData(demo())
	if err != nil {
		t.Fatal(err)
	}
	var document cloudConfig
	if err := yaml.Unmarshal(userData, &document); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`APT::Periodic::Update-Package-Lists "1";`, `APT::Periodic::Unattended-Upgrade "1";`,
		`Unattended-Upgrade::Automatic-Reboot "false";`, `DPkg::Options { "--force-confdef"; "--force-confold"; };`,
	} {
		if !strings.Contains(document.Apt.Conf, want+"\n") {
			t.Errorf("the configuration of apt lacks %s:\n%s", want, document.Apt.Conf)
		}
	}
}

func TestUserData_HasOperatorKey(t *testing.T) {
	const key = `ssh-ed25519 AAAA "operator": 'me' # \ü`
	lb, run := demo(), errand()
	lb.SSHKey, run.SSHKey = key, key
	for name, render := range map[string]func() ([]byte, error){
		"load balancer": func() ([]byte, error) { return assets.RenderLoadBalancerUserData(lb) },
		"remote run":    func() ([]byte, error) { return assets.RenderRemoteRunUserData(run) },
	} {
		userData, err := render()
		if err != nil {
			t.Fatal(err)
		}
		var document cloudConfig
		if err := yaml.UnmarshalWithOptions(userData, &document, yaml.Strict()); err != nil {
			t.Fatal(err)
		}
		if len(document.Keys) != 1 || document.Keys[0] != key {
			t.Errorf("%s: %q", name, document.Keys)
		}
	}
}

func TestLoadBalancerUserData_RefusesNoBackends(t *testing.T) {
	for name, lb := range map[string]assets.LoadBalancer{
		"not a domain":    {Masters: 3, Routers: 2},
		"domain of lines": {Domain: "a\n    server evil", Masters: 3, Routers: 2},
		"no masters":      {Domain: "example.net", Routers: 2},
		"no routers":      {Domain: "example.net", Masters: 3},
	} {
		if out, err := assets.RenderLoadBalancerUserData(lb); err == nil {
			t.Errorf("%s: no error, but %s", name, out)
		}
	}
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", path, diff)
	}
}

func TestLoadBalancer_DescribeMismatch(t *testing.T) {
	started := assets.LoadBalancer{Domain: "c-1.example.net", Masters: 3, Routers: 16, ProxyProtocol: true}
	current, err := assets.RenderLoadBalancerUserData(started)
	if err != nil {
		t.Fatal(err)
	}
	plain, proxied := "server-template router 1-16 router.c-1.example.net:443 check\n", "server-template router 1-16 router.c-1.example.net:443 check send-proxy-v2\n"
	for name, c := range map[string]struct {
		userData string
		routers  int
		proxied  bool
		want     string
	}{
		"as it was started":            {string(current), 16, true, ""},
		"the other protocol":           {string(current), 2, false, ""},
		"more routers":                 {string(current), 17, true, "it has room for 16 routers, not for 17"},
		"early, as it was started":     {proxied, 2, true, ""},
		"early, to the PROXY protocol": {plain, 2, true, "it sends every router the same protocol, which the answers change"},
		"early, from it":               {proxied, 2, false, "it sends every router the same protocol, which the answers change"},
		"early, more routers":          {plain, 20, false, "it has room for 16 routers, not for 20"},
		"of somebody else":             {"#cloud-config\n", 20, false, ""},
	} {
		wanted := started
		wanted.Routers, wanted.ProxyProtocol = c.routers, c.proxied
		if got := wanted.DescribeMismatch([]byte(c.userData)); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
