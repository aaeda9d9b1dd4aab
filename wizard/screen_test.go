package wizard_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
)

// asked are the keys that a screen asks for; usual: those that are visible at first.
func asked(s wizard.Screen, spec state.Spec, usual bool) (keys []string) {
	for _, f := range s.ListFields(spec) {
		if !usual || !f.Advanced {
			keys = append(keys, f.Key)
		}
	}
	return keys
}

func TestScreens_FewQuestionsByDefault(t *testing.T) {
	want := map[wizard.Screen][]string{
		wizard.Access:  {"exoscale.apiKey", "exoscale.apiSecret", "exoscale.zone"},
		wizard.Cluster: {"cluster.id", "cluster.baseDomain", "openshift.distribution", "openshift.version"},
		wizard.Nodes:   {"sizing.workers.type", "sizing.workers.count"},
		wizard.Network: {"network.customerNetworks"},
		wizard.Syn:     {"syn.lieutenantURL"},
		wizard.Secrecy: {"openshift.pullSecret", "openshift.sshKey"},
	}
	got := map[wizard.Screen][]string{}
	for _, s := range wizard.Screens() {
		got[s] = asked(s, state.Default(), true)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScreens_AtMostTwelveTyped(t *testing.T) {
	n := 0
	for _, f := range wizard.Fields() {
		if f.Screen != "" && f.IsRequired(state.Default()) && f.Default() == "" && f.Suggestion(state.Default()) == "" {
			n++
		}
	}
	if n > 12 || n == 0 {
		t.Errorf("%d answers have no default", n)
	}
}

func TestScreens_EachFieldOnce(t *testing.T) {
	spec := valid()
	spec.Syn.LieutenantURL, spec.OpenShift.Proxy.HTTP = "https://l.example.net", "http://p:1"
	spec.Sizing.Infra.Pool, spec.Sizing.Workers.Pool = true, true
	seen := map[string]wizard.Screen{"apiVersion": "none", "kind": "none"}
	for _, s := range wizard.Screens() {
		for _, key := range asked(s, spec, false) {
			if seen[key] != "" || wizard.ScreenOf(key) != s {
				t.Errorf("%s is asked on %s and on %s", key, seen[key], s)
			}
			seen[key] = s
		}
	}
	for _, f := range wizard.Fields() {
		fixed := strings.HasSuffix(f.Key, ".count") || strings.HasSuffix(f.Key, ".dataDisk") // of roles that have one number only
		if seen[f.Key] == "" && !fixed {
			t.Errorf("%s is asked nowhere", f.Key)
		}
	}
}

func TestScreens_HideIrrelevantFields(t *testing.T) {
	spec := valid()
	has := func(s wizard.Screen, key string) bool { return slices.Contains(asked(s, spec, false), key) }
	for _, c := range []struct {
		key    string
		screen wizard.Screen
		change func()
	}{
		{"syn.tenant", wizard.Syn, func() { spec.Syn.LieutenantURL = "https://l" }},
		{"openshift.proxy.noProxy", wizard.Secrecy, func() { spec.OpenShift.Proxy.NoProxy = "a" }},
		{"sizing.bootstrap.count", wizard.Nodes, func() { spec.Sizing.Bootstrap.Count = 2 }},
		{"sizing.extraGroups[0].type", wizard.Nodes, func() { spec.Sizing.ExtraGroups = make([]state.GroupSpec, 1) }},
	} {
		if has(c.screen, c.key) {
			t.Errorf("%s is asked too early", c.key)
		}
		if c.change(); !has(c.screen, c.key) {
			t.Errorf("%s is not asked", c.key)
		}
	}
	if !has(wizard.Nodes, "sizing.loadBalancers.type") || !has(wizard.Network, "loadBalancer.proxyProtocol") {
		t.Error("load balancers are not asked for")
	}
	spec.LoadBalancer.Strategy = "dns-round-robin"
	if has(wizard.Nodes, "sizing.loadBalancers.type") || has(wizard.Network, "loadBalancer.proxyProtocol") {
		t.Error("load balancers are asked for although there are none")
	}
}

func TestScreens_CustomerNetworksFirst(t *testing.T) {
	order := asked(wizard.Network, valid(), false)
	want := []string{"network.customerNetworks", "network.podCIDR", "loadBalancer.strategy", "dns.zone"}
	var got []string
	for _, key := range order {
		if slices.Contains(want, key) {
			got = append(got, key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestScreens_ProblemOnOneScreen(t *testing.T) {
	spec := valid()
	spec.Cluster.ID, spec.Sizing.Workers.Count, spec.Network.CNI = "A", 1, "Cilium"
	spec.Network.CustomerNetworks = []string{"10.0.0.0/8"}
	spec.OpenShift.SSHKey, spec.Exoscale.Zone = "", "mars"
	count := 0
	for _, s := range wizard.Screens() {
		count += len(s.Check(spec))
	}
	if all := wizard.Check(spec); count != len(all) {
		t.Errorf("%d faults of %d are on a screen", count, len(all))
	}
	spec = valid()
	spec.Network.CNI = "Cilium"
	if faults := wizard.Network.Check(spec); len(faults) > 0 {
		t.Errorf("the way to the catalog is blocked:\n%s", lines(faults))
	}
	if faults := wizard.Syn.Check(spec); len(faults) != 1 || faults[0].Field != "syn.catalogDir" {
		t.Errorf("nobody asks for Cilium's manifests:\n%s", lines(faults))
	}
}

func TestScreens_QuestionsHaveHelp(t *testing.T) {
	spec := valid()
	spec.Syn.LieutenantURL, spec.OpenShift.Proxy.HTTP = "https://l.example.net", "http://p:1"
	spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "gpu", MachineSpec: state.MachineSpec{Type: "standard.huge", RootDisk: 100}}}
	end := regexp.MustCompile(`[.?!](\s|$)`)
	for _, s := range wizard.Screens() {
		for _, f := range s.ListFields(spec) {
			for name, text := range map[string]string{"help": f.Help, "why": f.Why, "source": f.Source} {
				if n := len(end.FindAllString(text, -1)); n < 1 || n > 2 || !strings.HasSuffix(text, ".") || strings.Contains(text, "!") {
					t.Errorf("%s: its %s is not one or two sentences: %q", f.Key, name, text)
				}
			}
			if f.Example == "" {
				t.Errorf("%s has no example", f.Key)
			}
		}
	}
}
