package wizard_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// profiled returns the answers that depend on the profile, each with its origin.
func profiled(a *wizard.Answers) map[string]string {
	got := map[string]string{}
	for _, key := range []string{"network.cni", "openshift.cloudControllerManager", "dns.acme", "loadBalancer.proxyProtocol"} {
		field, _ := wizard.Find(wizard.Fields(), key)
		got[key] = field.Get(a.Spec) + " by " + a.Origin(key)
	}
	return got
}

func TestProfile_SetsDefaultsOfOtherAnswers(t *testing.T) {
	const connected = "syn: {lieutenantURL: https://api.syn.example.net, tenant: t-1}\n"
	plain := map[string]string{
		"network.cni": "OVNKubernetes by default", "openshift.cloudControllerManager": " by default", "dns.acme": "false by default",
	}
	plain["loadBalancer.proxyProtocol"] = field(t, "loadBalancer.proxyProtocol").Default() + " by default"
	appuio := map[string]string{
		"network.cni": "Cilium by profile appuio", "openshift.cloudControllerManager": "External by profile appuio", "dns.acme": "true by profile appuio",
		"loadBalancer.proxyProtocol": "true by profile appuio",
	}
	with := func(base map[string]string, key, value string) map[string]string {
		changed := map[string]string{key: value}
		for other, usual := range base {
			if other != key {
				changed[other] = usual
			}
		}
		return changed
	}
	if field(t, "loadBalancer.proxyProtocol").Default() == "true" { // the profile changes nothing then
		appuio["loadBalancer.proxyProtocol"] = "true by default"
	}
	for name, c := range map[string]struct {
		answers, profile string
		want             map[string]string
	}{
		"without Project Syn":            {"", "", plain},
		"with Project Syn":               {connected, "", appuio},
		"appuio with Project Syn":        {connected, "appuio", appuio},
		"plain with Project Syn":         {connected, "plain", plain},
		"an answer takes precedence":     {connected + "network: {cni: OVNKubernetes}\n", "", with(appuio, "network.cni", "OVNKubernetes by f:10")},
		"an answer that is the default":  {connected + "dns: {acme: true}\n", "", with(appuio, "dns.acme", "true by f:10")},
		"no load balancers, no protocol": {connected + "loadBalancer: {strategy: dns-round-robin}\n", "", with(appuio, "loadBalancer.proxyProtocol", plain["loadBalancer.proxyProtocol"])},
	} {
		t.Run(name, func(t *testing.T) {
			content := strings.Replace(minimal+c.answers, "example.net}", "example.net, profile: "+strconv.Quote(c.profile)+"}", 1)
			layer := answersfile.ReadAnswers("f", []byte(content))
			if diff := cmp.Diff(c.want, profiled(answersfile.MergeLayers(layer.Given, layer).Answers)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProfile_FollowsItsChoice(t *testing.T) {
	answers := wizard.NewAnswers()
	before := profiled(answers)
	set := func(key, value string) {
		t.Helper()
		if err := answers.Set(key, value, wizard.Typed); err != nil {
			t.Fatal(err)
		}
	}
	set("dns.acme", "false")
	set("syn.lieutenantURL", "https://api.syn.example.net")
	if got := profiled(answers); got["network.cni"] != "Cilium by profile appuio" || got["dns.acme"] != "false by typed" {
		t.Errorf("with Lieutenant: %v", got)
	}
	set("cluster.profile", "plain")
	if got := profiled(answers); got["network.cni"] != before["network.cni"] || got["openshift.cloudControllerManager"] != before["openshift.cloudControllerManager"] {
		t.Errorf("plain: %v", got)
	}
	if err := answers.Clear("cluster.profile"); err != nil {
		t.Fatal(err)
	}
	// A draft keeps whose default an answer is.
	draft := answersfile.ReadDraft("draft.yaml", answersfile.Export(answers.Spec, answers.Origins))
	if err := draft.Set("cluster.profile", "plain", wizard.Typed); err != nil {
		t.Fatal(err)
	}
	if got := profiled(draft); got["network.cni"] != before["network.cni"] || got["dns.acme"] != "false by typed" {
		t.Errorf("a draft made plain: %v", got)
	}
}

func TestProfile_APPUiORequiresProjectSyn(t *testing.T) {
	_, faults := answersfile.Parse("f", []byte(minimal+"network: {cni: OVNKubernetes}\n"))
	if len(faults) > 0 {
		t.Fatal(lines(faults))
	}
	spec := valid()
	spec.Cluster.Profile = "appuio"
	found := false
	for _, problem := range wizard.Check(spec) {
		found = found || problem.Field == "cluster.profile" && problem.Suggestion == "plain"
	}
	if !found {
		t.Errorf("problems:\n%s", lines(wizard.Check(spec)))
	}
}
