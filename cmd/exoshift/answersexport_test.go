package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

func anyAnswers(t *rapid.T, example state.Spec) *wizard.Answers {
	answers := &wizard.Answers{Spec: example, Origins: map[string]string{}}
	choices := map[string][]string{
		"cluster.displayName":              {"Demo", `a: "b" # c`, "é, [ü]"},
		"exoscale.deployTarget":            {"", "dedicated-1"},
		"exoscale.protectMasters":          {"true", "false"},
		"sizing.controlPlane.rootDisk":     {"100", "120"},
		"sizing.workers.count":             {"3", "5", "9"},
		"sizing.workers.dataDisk":          {"0", "50"},
		"sizing.infra.type":                {"standard.extra-large", "standard.huge"},
		"sizing.extraGroups":               {"", "name=gpu type=standard.huge count=2 rootDisk=100", "name=a type=cpu.huge count=1 rootDisk=150, name=b type=standard.mega count=0 dataDisk=40"},
		"network.podCIDR":                  {"10.128.0.0/14", "10.132.0.0/14"},
		"network.hostPrefix":               {"23", "24"},
		"network.customerNetworks":         {"", "192.168.0.0/16", "192.168.4.0/24, 2001:db8::/32"},
		"dns.appsDomain":                   {"", "applications.c-demo-1.example.net"},
		"loadBalancer.strategy":            {"haproxy-pair", "dns-round-robin"},
		"loadBalancer.internal":            {"addresses", "elastic-ip"},
		"loadBalancer.proxyProtocol":       {"true", "false"},
		"syn.facts":                        {"", `service_level="x", b=no`, "a=1.5, B=null"},
		"openshift.proxy.http":             {"", "http://proxy.example.net:3128"},
		"openshift.cloudControllerManager": {"", "External"},
		"openshift.manifestsDir":           {"", "testdata/manifests"},
		"objectStorage.bucketPrefix":       {"", "other"},
	}
	for _, key := range slices.Sorted(maps.Keys(choices)) {
		value := rapid.SampledFrom(choices[key]).Draw(t, key)
		if err := answers.Set(key, value, rapid.SampledFrom([]string{wizard.Typed, "answers.yaml:3", "a\n# b"}).Draw(t, "origin")); err != nil {
			t.Skip(key, value, err)
		}
	}
	if faults := wizard.Check(answers.Spec); len(faults) > 0 {
		t.Skip(faults)
	}
	return answers
}

func exportedAndRead(t testing.TB, dir string, answers *wizard.Answers) (state.Spec, wizard.Secrets) {
	t.Helper()
	path := filepath.Join(dir, "answers.yaml")
	content := answersfile.Export(answers.Spec, answers.Origins)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	given, err := layers.ReadFolder(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := cli.Streams{Err: io.Discard}.LoadAnswers(given, environment.LookupRehearsalSecret)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, content)
	}
	return read.Answers.Spec, read.Secrets
}

func TestExport_SameSpec(t *testing.T) {
	example, _ := exampleAlone(t)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		answers := anyAnswers(rt, example)
		spec, _ := exportedAndRead(t, dir, answers)
		if diff := cmp.Diff(answers.Spec, spec); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// A plan is the installation itself with read-only clients.
func TestExport_SamePlan(t *testing.T) {
	long(t)
	t.Parallel()
	for seed := range 6 {
		virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
			example := s.Spec
			answers := rapid.Custom(func(t *rapid.T) *wizard.Answers { return anyAnswers(t, example) }).Example(seed)
			s.Spec = answers.Spec
			want, err := s.Preview(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.Spec, s.Secrets = exportedAndRead(t, t.TempDir(), answers)
			got, err := s.Preview(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sortedPlan(want), sortedPlan(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(want.ListPending()) < 40 {
				t.Errorf("the plan has only %d changes", len(want.ListPending()))
			}
		})
	}
}

// sortedPlan sorts the output of steps that run concurrently.
func sortedPlan(preview install.Preview) install.Preview {
	slices.SortFunc(preview.Changes, func(a, b install.Change) int {
		return strings.Compare(a.Kind+" "+a.Name+" "+a.Details, b.Kind+" "+b.Name+" "+b.Details)
	})
	return preview
}
