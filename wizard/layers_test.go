package wizard_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// assembled merges layers: the last one that has an answer counts.
func assembled(layers ...answersfile.Layer) *answersfile.MergedAnswers {
	given := map[string]answersfile.Given{}
	for _, layer := range layers {
		maps.Copy(given, layer.Given)
	}
	return answersfile.MergeLayers(given, layers...)
}

func TestLayers_PrecedenceAndOrigin(t *testing.T) {
	usual := answersfile.ReadUsual("/home/config.yaml", []byte("exoscale:\n  zone: de-fra-1\ncluster: {baseDomain: example.com}\nsyn: {facts: {Region: x}}\n"))
	file := answersfile.ReadAnswers("dir/answers.yaml", []byte(minimal+"network:\n  customerNetworks:\n  - 192.168.0.0/16\n"))
	variables := answersfile.ReadVariables(environment(map[string]string{"EXOSHIFT_SIZING_WORKERS_COUNT": "5", "EXOSHIFT_NETWORK_HOSTPREFIX": ""}))
	flags := answersfile.ReadFlags([]string{"sizing.workers.count=6", "sizing.workers.count=7", "sizing.extraGroups=name=gpu type=gpua30.small count=2"})
	all := assembled(usual, file, variables, flags)
	if faults := all.Problems(); len(faults) > 0 {
		t.Fatalf("faults:\n%s", lines(faults))
	}
	want := map[string][2]string{
		"exoscale.zone":            {"ch-gva-2", "answers.yaml:4"},
		"cluster.baseDomain":       {"example.net", "answers.yaml:3"},
		"syn.facts":                {"Region=x", "config.yaml:4"},
		"sizing.workers.count":     {"7", "--set"},
		"sizing.extraGroups":       {"name=gpu type=gpua30.small count=2 rootDisk=100 dataDisk=0 topolvm=false", "--set"},
		"network.hostPrefix":       {"23", "default"},
		"network.customerNetworks": {"192.168.0.0/16", "answers.yaml:11"},
	}
	got := map[string][2]string{}
	for key := range want {
		got[key] = [2]string{field(t, key).Get(all.Answers.Spec), all.Answers.Origin(key)}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLayers_LocateAllProblems(t *testing.T) {
	usual := answersfile.ReadUsual("config.yaml", []byte("exoscale: {zone: mars}\ndns: {acme: 1}\nask: [cluster.id]\n"))
	file := answersfile.ReadAnswers("answers.yaml", []byte(minimal+"netwrk: {}\nsizing: {workers: {count: 2}}\n"))
	variables := answersfile.ReadVariables(environment(map[string]string{"EXOSHIFT_NETWORK_PODCIDR": "10.0.0.1/8"}))
	flags := answersfile.ReadFlags([]string{
		"network.nodeCIDR=172.30.0.0/16", "cluster.di=x", "nonsense", "openshift.pullSecret=s3cret", "apiVersion=v2",
		"sizing.extraGroups=name=GPU type=gpua30.small count=1", "sizing.infra.count=", "dns.appsDomain=",
	})
	var got []string
	for line := range strings.Lines(lines(assembled(usual, file, variables, flags).Problems())) {
		got = append(got, strings.Join(strings.Split(strings.TrimSpace(line), "  ")[:3], " | "))
	}
	want := []string{
		`config.yaml:1:18 | exoscale.zone | "mars" is not known`,
		`config.yaml:2:13 | dns.acme | is a whole number, not true or false`,
		`config.yaml:3:1 | ask | belongs in an answers file, not in the usual answers`,
		`answers.yaml:9:1 | netwrk | unknown key`,
		`answers.yaml:10:27 | sizing.workers.count | 2 is out of range`,
		`--set | cluster.di | unknown key`,
		`--set | network.nodeCIDR | 172.30.0.0/16 overlaps network.serviceCIDR (172.30.0.0/16)`,
		`--set | "nonsense" is not of the form KEY=VALUE | allowed: e.g. --set cluster.id=c-demo-1`,
		`--set | openshift.pullSecret | the value is not a reference`,
		`--set | apiVersion | unknown key`,
		`--set | sizing.infra.count | has no value`,
		`--set | sizing.extraGroups[0].name | "GPU" is not a valid DNS label`,
		`EXOSHIFT_NETWORK_PODCIDR | network.podCIDR | "10.0.0.1/8" has host bits set`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLayers_LocateCrossFieldProblems(t *testing.T) {
	file := answersfile.ReadAnswers("answers.yaml", []byte(minimal+"network:\n  podCIDR: 10.0.0.0/14\n"))
	flags := answersfile.ReadFlags([]string{"network.nodeCIDR=10.1.0.0/16"})
	faults := assembled(file, flags).Problems()
	if len(faults) != 1 || !strings.HasPrefix(faults[0].String(), "--set  network.nodeCIDR  10.1.0.0/16 overlaps network.podCIDR") {
		t.Errorf("want one overlap, got:\n%s", lines(faults))
	}
}

func TestAsk_MayBeMissing(t *testing.T) {
	const asks = "apiVersion: exoshift/v1alpha1\nkind: Cluster\nask: [cluster, openshift.version, openshift.pullSecret, openshift.sshKey, cluster.id]\nexoscale: {zone: ch-gva-2}\n"
	all := assembled(answersfile.ReadAnswers("f", []byte(asks)), answersfile.ReadFlags([]string{"cluster.baseDomain=example.net"}))
	if faults := all.Problems(); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
	want := []string{"cluster.id", "cluster.displayName", "cluster.labels", "cluster.profile", "openshift.version", "openshift.pullSecret", "openshift.sshKey"}
	if diff := cmp.Diff(want, all.Ask); diff != "" {
		t.Errorf("what was answered by a flag is not asked (-want +got):\n%s", diff)
	}
	if _, faults := answersfile.Parse("f", []byte(asks)); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
}

func TestAsk_RefusesUnknown(t *testing.T) {
	all := assembled(answersfile.ReadAnswers("f", []byte(minimal+"ask:\n- sizng\n- [x]\n- apiVersion\n")))
	want := `f:10:3  ask[0]  "sizng" is neither a key nor a section  allowed: a list of keys or sections, e.g. [cluster.id, sizing]  did you mean sizing?
f:11:3  ask[1]  is a list, not text  allowed: e.g. [cluster.id, sizing]
f:12:3  ask[2]  "apiVersion" is neither a key nor a section  allowed: a list of keys or sections, e.g. [cluster.id, sizing]
`
	if diff := cmp.Diff(want, lines(all.Problems())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLayers_UnreadableFileKeepsProblems(t *testing.T) {
	all := assembled(answersfile.ReadUsual("config.yaml", []byte("dns: {zone: x}\n")), answersfile.ReadAnswers("answers.yaml", []byte("a: [")))
	got := lines(all.Problems())
	if len(all.Problems()) != 2 || !strings.Contains(got, "config.yaml:1:13  dns.zone") || !strings.Contains(got, "answers.yaml:1:4  file  is not valid YAML") {
		t.Errorf("got:\n%s", got)
	}
}

func TestResolve_MissingIsUnanswered(t *testing.T) {
	for content, want := range map[string]bool{
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\n":                       true,
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\ncluster: {id: [x]}\n":   false,
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\ncluster: {id: 'A b'}\n": false,
		"kind: Cluster\n": false,
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\nnetwork: {nodeCIDR: 10.128.0.0/16}\n": false,
	} {
		all := assembled(answersfile.ReadAnswers("f", []byte(content)))
		all.Resolve(environment(nil))
		needs := answersfile.FindMissing(all.Answers.Spec, all.Ask, environment(nil))
		if got := all.IsOnlyMissing(needs); got != want {
			t.Errorf("%q: only missing is %t; faults:\n%s", content, got, lines(all.Problems()))
		}
	}
}

func TestCheckVariables_SuggestsSimilar(t *testing.T) {
	spec := valid()
	spec.OpenShift.PullSecret.Env = "EXOSHIFT_OPENSHIFT_PULLSECRETS"
	got := answersfile.CheckVariables(spec, []string{
		"EXOSHIFT_NETWORK_PODCDIR", "EXOSHIFT_NETWORK_PODCIDR", "EXOSHIFT_OPENSHIFT_PULLSECRETS", "EXOSHIFT_PULL_SECRET", "EXOSHIFT_E2E_ZONE",
		"EXOSHIFT_ANSWERS", "PATH", "EXOSHIFT_" + strings.Repeat("X", 999),
	})
	want := "EXOSHIFT_NETWORK_PODCDIR  no answer has this environment variable  did you mean EXOSHIFT_NETWORK_PODCIDR?\n"
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFacts_SingleFact(t *testing.T) {
	connected := minimal + "syn:\n  lieutenantURL: https://api.example.net\n  tenant: t-demo\n"
	file := answersfile.ReadAnswers("answers.yaml", []byte(connected+"  facts: {service_level: best-effort, jumphost: one}\n"))
	alone := map[string]string{"EXOSHIFT_SYN_FACTS_SERVICE_LEVEL": "guaranteed-availability", "EXOSHIFT_SYN_FACTS_SALES_ORDER": "S10000"}
	both := map[string]string{"EXOSHIFT_SYN_FACTS": "sales_order=S1", "EXOSHIFT_SYN_FACTS_SERVICE_LEVEL": "zero"}
	for name, c := range map[string]struct {
		variables    map[string]string
		flags        []string
		facts, order string // all facts, and the origin of sales_order
	}{
		"by variables":         {alone, nil, "jumphost=one, sales_order=S10000, service_level=guaranteed-availability", "EXOSHIFT_SYN_FACTS_SALES_ORDER"},
		"by flags":             {nil, []string{"syn.facts.other=a=b,c", "syn.facts.sales_order=S1"}, `jumphost=one, "other=a=b,c", sales_order=S1, service_level=best-effort`, "--set"},
		"taken out":            {nil, []string{"syn.facts.jumphost="}, "service_level=best-effort", "default"},
		"beside all of them":   {both, nil, "sales_order=S1, service_level=zero", "EXOSHIFT_SYN_FACTS"},
		"below all of them":    {alone, []string{"syn.facts=a=b"}, "a=b", "default"},
		"both on one line":     {nil, []string{"syn.facts.a=1", "syn.facts=b=2"}, "a=1, b=2", "default"},
		"with a name in lines": {nil, []string{"syn.facts.a.b-c_d=1"}, "a.b-c_d=1, jumphost=one, service_level=best-effort", "default"},
	} {
		t.Run(name, func(t *testing.T) {
			all := assembled(file, answersfile.ReadVariables(environment(c.variables)), answersfile.ReadFlags(c.flags))
			if faults := all.Problems(); len(faults) > 0 {
				t.Fatal(lines(faults))
			}
			got := field(t, "syn.facts").Get(all.Answers.Spec)
			if got = strings.ReplaceAll(got, ",", ", "); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.facts, " ", "") {
				t.Errorf("the facts are %s, want %s", got, c.facts)
			}
			if origin := all.Answers.Origin("syn.facts.sales_order"); origin != c.order {
				t.Errorf("sales_order is from %s, want %s", origin, c.order)
			}
		})
	}
}

func TestFacts_LocateProblems(t *testing.T) {
	file := answersfile.ReadAnswers("answers.yaml", []byte(minimal+"syn: {lieutenantURL: 'https://api.example.net', tenant: t-demo}\n"))
	variables := answersfile.ReadVariables(environment(map[string]string{"EXOSHIFT_SYN_FACTS_SALES_ORDER": "S1\x1b"}))
	faults := assembled(file, variables, answersfile.ReadFlags([]string{"syn.facts.region=mars", "syn.facts.-x=1", "syn.facts.=1"})).Problems()
	for _, want := range []string{
		"EXOSHIFT_SYN_FACTS_SALES_ORDER  syn.facts.sales_order", `--set  syn.facts.region  "mars" contradicts`,
		`--set  syn.facts.-x  "-x" is not a valid fact name`, "--set  syn.facts.  unknown key",
	} {
		if !strings.Contains(lines(faults), want) {
			t.Errorf("%q is missing in\n%s", want, lines(faults))
		}
	}
	if len(faults) != 4 {
		t.Errorf("%d faults:\n%s", len(faults), lines(faults))
	}
}

func TestOrigin_TypedFactReplacesFlag(t *testing.T) {
	all := assembled(answersfile.ReadFlags([]string{"syn.facts.a=1", "syn.facts.service_level=x"})).Answers
	if origin := all.Origin("syn.facts"); origin != "--set" {
		t.Errorf("the facts are from %q", origin)
	}
	if err := all.Set("syn.facts.service_level", "y", wizard.Typed); err != nil {
		t.Fatal(err)
	}
	if origin := all.Origin("syn.facts.service_level"); origin != wizard.Typed {
		t.Errorf("it is from %s", origin)
	}
}

func TestCheckVariables_UnknownFact(t *testing.T) {
	known, other := answersfile.FindFieldsOrFact("syn.facts.sales_order")[0], answersfile.FindFieldsOrFact("syn.facts.teamOfOurs")[0]
	if known.Variable() != "EXOSHIFT_SYN_FACTS_SALES_ORDER" || other.Variable() != "" {
		t.Errorf("the variables are %q and %q", known.Variable(), other.Variable())
	}
	got := answersfile.CheckVariables(valid(), []string{"EXOSHIFT_SYN_FACTS_SALES_ORDER", "EXOSHIFT_SYN_FACTS_SALE_ORDER", "EXOSHIFT_SYN_FACTS_TEAM_OF_OURS"})
	if len(got) != 2 || got[0].Suggestion != "EXOSHIFT_SYN_FACTS_SALES_ORDER" || got[1].Suggestion != "EXOSHIFT_SYN_FACTS" {
		t.Errorf("got:\n%s", lines(got))
	}
}
