package wizard_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

func field(t *testing.T, key string) wizard.Field {
	t.Helper()
	for _, f := range wizard.Fields() {
		if f.Key == key {
			return f
		}
	}
	t.Fatalf("no field %s", key)
	return wizard.Field{}
}

func TestFields_HelpAndUniqueKey(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range wizard.Fields() {
		if seen[f.Key] || f.Key == "" || f.Title == "" {
			t.Errorf("%q: the key is taken, or there is no title", f.Key)
		}
		seen[f.Key] = true
		if len(f.Choices) == 0 && (f.Help == "" || f.Example == "") {
			t.Errorf("%s has no help or no example", f.Key)
		}
	}
}

func TestFields_ExamplesAndChoicesAreValid(t *testing.T) {
	for _, f := range wizard.Fields() {
		for _, value := range append(f.Choices, f.Example) {
			spec := valid()
			if value == "" || strings.Contains(value, "…") {
				continue
			}
			if err := f.Set(&spec, value); err != nil {
				t.Errorf("%s = %q: %v", f.Key, value, err)
			}
		}
	}
}

func TestFields_GetReturnsSet(t *testing.T) {
	spec := valid()
	spec.Network.CustomerNetworks = []string{"192.168.0.0/16", "10.9.0.0/24"}
	spec.Syn.Facts = map[string]string{"a": "b", "cilium_addons": "one,two", "quoted": `say "x"`, "none": ""}
	spec.Sizing.ExtraGroups = []state.GroupSpec{
		{Name: "gpu", MachineSpec: state.MachineSpec{Type: "gpua30.small", Count: 2, RootDisk: 100}},
		{Name: "big", MachineSpec: state.MachineSpec{Type: "standard.mega", Count: 0, RootDisk: 200, DataDisk: 50, TopoLVM: true}},
	}
	spec.Exoscale.DeployTarget, spec.Exoscale.ProtectMasters = "our hosts", true
	got := state.Spec{}
	for _, f := range wizard.Fields() {
		if err := f.Set(&got, f.Get(spec)); err != nil && f.Get(spec) != "" {
			t.Errorf("%s: %v", f.Key, err)
		}
	}
	if diff := cmp.Diff(spec, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSet_RefusesInvalidValue(t *testing.T) {
	for key, value := range map[string]string{
		"sizing.workers.count":     "three",
		"sizing.storage.dataDisk":  "1",
		"network.podCIDR":          "10.0.0.1/8",
		"network.customerNetworks": "10.9.0.0/24, nonsense",
		"network.cni":              "Calico",
		"dns.acme":                 "maybe",
		"sizing.workers.topolvm":   "vgssd",
		"exoscale.deployTarget":    "a\nb",
		"cluster.id":               "",
		"exoscale.apiKey":          "EXOs3cret",
		"syn.facts":                "a=b, c",
		"sizing.extraGroups":       "name=gpu type=gpua30.small count=1, name=x type=tiny",
	} {
		spec := valid()
		spec.Sizing.ExtraGroups = []state.GroupSpec{{Name: "old", MachineSpec: state.MachineSpec{Type: "standard.huge", RootDisk: 100}}}
		before := spec
		err := field(t, key).Set(&spec, value)
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s = %q: error is %v", key, value, err)
		}
		if diff := cmp.Diff(before, spec); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

func TestFindMissing_NamesEverySource(t *testing.T) {
	spec := state.Default()
	spec.Cluster.DisplayName = "env:not a reference"
	spec.Cluster.BaseDomain = "example.net"
	var got []answersfile.MissingAnswer
	lookup := environment(map[string]string{"EXOSCALE_API_KEY": "k"})
	for _, need := range answersfile.FindMissing(spec, []string{"sizing.workers.count", "syn.tenant"}, lookup) {
		if need.Why == "" {
			t.Errorf("%s: no reason", need.Field)
		}
		if need.Why = ""; !strings.HasPrefix(need.Field, "openshift.") {
			got = append(got, need)
		}
	}
	want := []answersfile.MissingAnswer{
		{Field: "cluster.id", Flag: "--set cluster.id=c-demo-1", Variable: "EXOSHIFT_CLUSTER_ID", InFile: "cluster: {id: c-demo-1}"},
		{Field: "exoscale.zone", Flag: "--set exoscale.zone=ch-gva-2", Variable: "EXOSHIFT_EXOSCALE_ZONE", InFile: "exoscale: {zone: ch-gva-2}"},
		{Field: "exoscale.apiSecret", Flag: "--set exoscale.apiSecret=file:PATH", Variable: "EXOSCALE_API_SECRET",
			InFile: "exoscale: {apiSecret: {file: PATH}}", Secret: true},
		{Field: "sizing.workers.count", Flag: "--set sizing.workers.count=3", Variable: "EXOSHIFT_SIZING_WORKERS_COUNT",
			InFile: "sizing: {workers: {count: 3}}"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestListMissing_WithoutAnswers(t *testing.T) {
	t.Setenv("EXOSCALE_API_KEY", "")
	t.Setenv("EXOSCALE_API_SECRET", "s")
	var fields []string
	for _, need := range answersfile.ListMissing() {
		fields = append(fields, need.Field)
	}
	want := []string{
		"cluster.id", "cluster.baseDomain", "exoscale.zone", "exoscale.apiKey",
		"openshift.version", "openshift.pullSecret", "openshift.sshKey",
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
