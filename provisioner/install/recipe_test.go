package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

func TestThePlanIsInOrder(t *testing.T) {
	plan := Steps(spec())
	if err := plan.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, step := range plan {
		if step.Title == "" || step.Phase == "" || step.Do == nil {
			t.Errorf("%s lacks a title, a phase or a body", step.ID)
		}
	}
}

func TestEveryRuleRefersToAGroupOfTheRecipe(t *testing.T) {
	groups := map[string]bool{}
	specs := (&Installation{spec: spec()}).securityGroupSpecs()
	for _, group := range specs {
		groups[group.Name] = true
	}
	for _, group := range specs {
		for _, rule := range group.Rules {
			if (rule.CIDR == "") == (rule.Group == "") || rule.Group != "" && !groups[rule.Group] {
				t.Errorf("%s: %+v has no peer, two, or an unknown one", group.Name, rule)
			}
		}
	}
}

func TestTheMachineConfigServerIsForTheClustersMachinesOnly(t *testing.T) {
	for _, group := range (&Installation{spec: spec()}).securityGroupSpecs() {
		for _, rule := range group.Rules {
			if rule.CIDR != "" && rule.From <= portMachineConfig && portMachineConfig <= rule.To {
				t.Errorf("%s opens it to %s", group.Name, rule.CIDR)
			}
		}
	}
}

func TestTheNinthMachineOfARoleGoesIntoASecondAntiAffinityGroup(t *testing.T) {
	s := spec()
	s.Sizing.Workers.Count = 9
	i := &Installation{spec: s, affinity: map[state.Role][]string{state.RoleWorker: {"first", "second"}}}
	workers := s.Machines(state.RoleWorker)
	for n, want := range map[int]string{0: "first", 7: "first", 8: "second"} {
		if got := i.instance(workers[n], state.Template{}).AntiAffinityGroups; !cmp.Equal(got, []string{want}) {
			t.Errorf("worker %d is in %v", n, got)
		}
	}
	var names []string
	for _, wanted := range Inventory(s) {
		if strings.HasPrefix(wanted.Name, "c-1_worker") {
			names = append(names, wanted.Name)
		}
	}
	if diff := cmp.Diff([]string{"c-1_worker", "c-1_worker_2"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestWorkersCarryTheRoutersWhereThereIsNoInfra(t *testing.T) {
	s := spec()
	s.Sizing.Infra.Count = 0
	i := &Installation{spec: s}
	if role := i.routerRole(); role != state.RoleWorker {
		t.Errorf("routers on %s", role)
	}
	if diff := cmp.Diff([]string{groupAll, groupInfra}, groupsOf(state.RoleWorker, i.routerRole())); diff != "" {
		t.Error(diff)
	}
}

func TestInstallConfigSaysWhatTheSpecSays(t *testing.T) {
	s := spec()
	s.OpenShift.Proxy.HTTP = "http://proxy:3128"
	s.OpenShift.TrustBundle = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(s.OpenShift.TrustBundle, []byte("PEM\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rendered, err := installConfig(s, `{"auths":{}}`)
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
		"platform":   map[string]any{"external": map[string]any{"platformName": "exoscale"}},
		"networking": map[string]any{
			"networkType":    "OVNKubernetes",
			"machineNetwork": []any{map[string]any{"cidr": "10.0.0.0/16"}},
			"clusterNetwork": []any{map[string]any{"cidr": "10.128.0.0/14", "hostPrefix": uint64(23)}},
			"serviceNetwork": []any{"172.30.0.0/16"},
		},
		"controlPlane":          map[string]any{"name": "master", "replicas": uint64(3), "hyperthreading": "Enabled"},
		"compute":               []any{map[string]any{"name": "worker", "replicas": uint64(10), "hyperthreading": "Enabled"}},
		"proxy":                 map[string]any{"httpProxy": "http://proxy:3128"},
		"additionalTrustBundle": "PEM\n",
		"pullSecret":            `{"auths":{}}`,
		"sshKey":                "ssh-ed25519 AAAA",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAMissingTrustBundleIsNamed(t *testing.T) {
	s := spec()
	s.OpenShift.TrustBundle = "/nowhere/ca.pem"
	if _, err := installConfig(s, "{}"); err == nil || !strings.Contains(err.Error(), "/nowhere/ca.pem") {
		t.Errorf("%v", err)
	}
}
