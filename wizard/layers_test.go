package wizard_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/wizard"
)

// assembled lays layers over each other: the last one that has an answer counts.
func assembled(layers ...wizard.Layer) *wizard.Assembly {
	given := map[string]wizard.Given{}
	for _, layer := range layers {
		maps.Copy(given, layer.Given)
	}
	return wizard.Assemble(given, layers...)
}

func TestAnAnswerOfAHigherLayerCountsAndEachTellsWhereItCameFrom(t *testing.T) {
	usual := wizard.ReadUsual("/home/config.yaml", []byte("exoscale:\n  zone: de-fra-1\ncluster: {baseDomain: example.com}\nsyn: {facts: {Region: x}}\n"))
	file := wizard.ReadAnswers("dir/answers.yaml", []byte(minimal+"network:\n  customerNetworks:\n  - 192.168.0.0/16\n"))
	variables := wizard.ReadVariables(environment(map[string]string{"EXOSHIFT_SIZING_WORKERS_COUNT": "5", "EXOSHIFT_NETWORK_HOSTPREFIX": ""}))
	flags := wizard.ReadFlags([]string{"sizing.workers.count=6", "sizing.workers.count=7", "sizing.extraGroups=name=gpu type=gpua30.small count=2"})
	all := assembled(usual, file, variables, flags)
	if faults := all.Faults(); len(faults) > 0 {
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

func TestTheFaultsOfAllLayersAreToldAtOnceWithTheirPlaces(t *testing.T) {
	usual := wizard.ReadUsual("config.yaml", []byte("exoscale: {zone: mars}\ndns: {acme: 1}\nask: [cluster.id]\n"))
	file := wizard.ReadAnswers("answers.yaml", []byte(minimal+"netwrk: {}\nsizing: {workers: {count: 2}}\n"))
	variables := wizard.ReadVariables(environment(map[string]string{"EXOSHIFT_NETWORK_PODCIDR": "10.0.0.1/8"}))
	flags := wizard.ReadFlags([]string{
		"network.nodeCIDR=172.30.0.0/16", "cluster.di=x", "nonsense", "openshift.pullSecret=s3cret", "apiVersion=v2",
		"sizing.extraGroups=name=GPU type=gpua30.small count=1", "sizing.infra.count=", "dns.appsDomain=",
	})
	var got []string
	for line := range strings.Lines(lines(assembled(usual, file, variables, flags).Faults())) {
		got = append(got, strings.Join(strings.Split(strings.TrimSpace(line), "  ")[:3], " | "))
	}
	want := []string{
		`config.yaml:1:18 | exoscale.zone | "mars" is not known`,
		`config.yaml:2:13 | dns.acme | is a whole number, not true or false`,
		`config.yaml:3:1 | ask | belongs in an answers file, not in the usual answers`,
		`answers.yaml:9:1 | netwrk | unknown key`,
		`answers.yaml:10:27 | sizing.workers.count | 2 is out of bounds`,
		`--set | cluster.di | unknown key`,
		`--set | network.nodeCIDR | 172.30.0.0/16 overlaps network.serviceCIDR, which is 172.30.0.0/16`,
		`--set | "nonsense" is not of the form KEY=VALUE | allowed: e.g. --set cluster.id=c-demo-1`,
		`--set | openshift.pullSecret | the value is no reference`,
		`--set | apiVersion | unknown key`,
		`--set | sizing.infra.count | has no value`,
		`--set | sizing.extraGroups[0].name | "GPU" is no DNS label`,
		`EXOSHIFT_NETWORK_PODCIDR | network.podCIDR | "10.0.0.1/8" has bits set beyond its prefix`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsWrongBetweenLayersHasThePlaceOfTheAnswerThatIsNamed(t *testing.T) {
	file := wizard.ReadAnswers("answers.yaml", []byte(minimal+"network:\n  podCIDR: 10.0.0.0/14\n"))
	flags := wizard.ReadFlags([]string{"network.nodeCIDR=10.1.0.0/16"})
	faults := assembled(file, flags).Faults()
	if len(faults) != 1 || !strings.HasPrefix(faults[0].String(), "--set  network.nodeCIDR  10.1.0.0/16 overlaps network.podCIDR") {
		t.Errorf("want one overlap, got:\n%s", lines(faults))
	}
}

func TestWhatIsAskedMayBeMissing(t *testing.T) {
	const asks = "apiVersion: exoshift/v1alpha1\nkind: Cluster\nask: [cluster, openshift.version, openshift.pullSecret, openshift.sshKey, cluster.id]\nexoscale: {zone: ch-gva-2}\n"
	all := assembled(wizard.ReadAnswers("f", []byte(asks)), wizard.ReadFlags([]string{"cluster.baseDomain=example.net"}))
	if faults := all.Faults(); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
	want := []string{"cluster.id", "cluster.displayName", "openshift.version", "openshift.pullSecret", "openshift.sshKey"}
	if diff := cmp.Diff(want, all.Ask); diff != "" {
		t.Errorf("what was answered by a flag is not asked (-want +got):\n%s", diff)
	}
	if _, faults := wizard.Parse("f", []byte(asks)); len(faults) > 0 {
		t.Errorf("faults:\n%s", lines(faults))
	}
}

func TestWhatIsAskedHasToBeKnown(t *testing.T) {
	all := assembled(wizard.ReadAnswers("f", []byte(minimal+"ask:\n- sizng\n- [x]\n- apiVersion\n")))
	want := `f:10:3  ask[0]  "sizng" is neither a key nor a section  allowed: a list of keys or sections, e.g. [cluster.id, sizing]  did you mean sizing?
f:11:3  ask[1]  is a list, not text  allowed: e.g. [cluster.id, sizing]
f:12:3  ask[2]  "apiVersion" is neither a key nor a section  allowed: a list of keys or sections, e.g. [cluster.id, sizing]
`
	if diff := cmp.Diff(want, lines(all.Faults())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFileThatCannotBeReadHidesNoFaultOfTheOthers(t *testing.T) {
	all := assembled(wizard.ReadUsual("config.yaml", []byte("dns: {zone: x}\n")), wizard.ReadAnswers("answers.yaml", []byte("a: [")))
	got := lines(all.Faults())
	if len(all.Faults()) != 2 || !strings.Contains(got, "config.yaml:1:13  dns.zone") || !strings.Contains(got, "answers.yaml:1:4  file  is not YAML") {
		t.Errorf("got:\n%s", got)
	}
}

func TestOnlyWhatNobodyAnsweredIsMissing(t *testing.T) {
	for content, want := range map[string]bool{
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\n":                       true,
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\ncluster: {id: [x]}\n":   false,
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\ncluster: {id: 'A b'}\n": false,
		"kind: Cluster\n": false,
		"apiVersion: exoshift/v1alpha1\nkind: Cluster\nnetwork: {nodeCIDR: 10.128.0.0/16}\n": false,
	} {
		all := assembled(wizard.ReadAnswers("f", []byte(content)))
		all.Resolve(environment(nil))
		needs := wizard.Needs(all.Answers.Spec, all.Ask, environment(nil))
		if got := all.OnlyMissing(needs); got != want {
			t.Errorf("%q: only missing is %t; faults:\n%s", content, got, lines(all.Faults()))
		}
	}
}

func TestNearlyTheVariableOfAFieldIsPointedOut(t *testing.T) {
	spec := valid()
	spec.OpenShift.PullSecret.Env = "EXOSHIFT_OPENSHIFT_PULLSECRETS"
	got := wizard.Mistyped(spec, []string{
		"EXOSHIFT_NETWORK_PODCDIR", "EXOSHIFT_NETWORK_PODCIDR", "EXOSHIFT_OPENSHIFT_PULLSECRETS", "EXOSHIFT_PULL_SECRET", "EXOSHIFT_E2E_ZONE",
		"EXOSHIFT_ANSWERS", "PATH", "EXOSHIFT_" + strings.Repeat("X", 999),
	})
	want := "EXOSHIFT_NETWORK_PODCDIR  this environment variable answers nothing  did you mean EXOSHIFT_NETWORK_PODCIDR?\n"
	if diff := cmp.Diff(want, lines(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
