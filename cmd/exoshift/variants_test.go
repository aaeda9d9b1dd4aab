package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/run"
	"exoshift/internal/app/teardown"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// Each variant of the recipe can be installed, repeated without changes, and destroyed without leftovers.
func TestInstall_EveryVariant(t *testing.T) {
	long(t)
	for name, c := range map[string]struct {
		change func(*state.Spec)
		check  func(t *testing.T, b backdoor)
	}{
		"dns-round-robin has no load balancers, workers carry the routers and fill two anti-affinity groups": {func(s *state.Spec) {
			s.LoadBalancer.Strategy = "dns-round-robin"
			s.Sizing.Infra.Count, s.Sizing.Storage.Count, s.Sizing.Workers.Count = 0, 0, 9
		}, everyNodeByName},
		"dedicated hypervisors, protected masters, no PROXY protocol, a domain for the applications, a group with TopoLVM": {func(s *state.Spec) {
			s.Exoscale.DeployTarget, s.Exoscale.ProtectMasters = "dedicated-1", true
			s.LoadBalancer.ProxyProtocol, s.DNS.AppsDomain = false, "applications."+s.Domain()
			s.Sizing.ExtraGroups = []state.GroupSpec{{Name: "data", MachineSpec: state.MachineSpec{
				Type: "standard.extra-large", Count: 2, RootDisk: 100, DataDisk: 200, TopoLVM: true,
			}}}
		}, dedicatedAndProtected},
		"a proxy for what is outside of the cluster": {func(s *state.Spec) {
			s.OpenShift.Proxy = state.ProxySpec{HTTP: "http://proxy.example.com:3128", HTTPS: "http://proxy.example.com:3128", NoProxy: ".example.org"}
			s.Checks.Skip = map[string]string{"NET-CLU-011": "this proxy is nobody's"}
		}, exceptedFromProxy},
		"dns-round-robin has no load balancers behind a proxy": {func(s *state.Spec) {
			s.LoadBalancer.Strategy = "dns-round-robin"
			s.OpenShift.Proxy = state.ProxySpec{HTTPS: "http://proxy.example.com:3128"}
			s.Checks.Skip = map[string]string{"NET-CLU-011": "this proxy is nobody's"}
		}, exceptedFromProxy},
		"a catalog brings machine configurations, the cloud controller and Cilium, and a channel chooses the release": {func(s *state.Spec) {
			s.Syn.CatalogDir, s.Network.CNI = "testdata/catalog", "Cilium"
			s.OpenShift.CloudControllerManager, s.OpenShift.Version = "External", "stable-4.20"
		}, cloudControlled("4.20.5", "rhcos-")},
		"OKD with a cloud controller of our own and the manifests of a directory": {func(s *state.Spec) {
			s.OpenShift.Distribution, s.OpenShift.Version = "okd", "4.20.0-okd-scos.11"
			s.OpenShift.CloudControllerManager, s.OpenShift.ManifestsDir = "External", "testdata/manifests"
		}, cloudControlled("4.20.0-okd-scos.11", "scos-")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtuallyIn(t, circumstances{spec: c.change}, func(t *testing.T, s run.Run, zone *simcloud.Zone) {
				before := belongings(t, s)
				installed(t, s)
				c.check(t, backdoor{t, s})
				keptAndDestroyed(t, s, zone, before)
			})
		})
	}
}

// exceptedFromProxy requires that no address of a node, or of the API, is reached through the proxy.
func exceptedFromProxy(t *testing.T, b backdoor) {
	t.Helper()
	facts, err := b.s.Folder.LoadFacts()
	if err != nil {
		t.Fatal(err)
	}
	var nodes int
	for _, machine := range b.list("/instance", "instances") {
		role, _, _ := strings.Cut(machine["name"].(string), "-")
		if role == string(state.RoleLoadBalancer) {
			continue
		}
		if nodes++; !slices.Contains(facts.NodeAddresses, machine["public-ip"].(string)) {
			t.Errorf("the address of %s goes through the proxy, those that do not: %v", machine["name"], facts.NodeAddresses)
		}
	}
	if len(facts.NodeAddresses) != nodes || facts.NodesFirst {
		t.Errorf("%d nodes, and %d addresses; nodes first: %t", nodes, len(facts.NodeAddresses), facts.NodesFirst)
	}
}

// everyNodeByName requires that the names of the API and of the ingress resolve to exactly the machines that serve them.
func everyNodeByName(t *testing.T, b backdoor) {
	addresses, groups := map[string][]string{}, map[string]int{}
	for _, machine := range b.list("/instance", "instances") {
		role, _, _ := strings.Cut(machine["name"].(string), "-")
		addresses[role] = append(addresses[role], machine["public-ip"].(string))
	}
	for _, group := range b.list("/anti-affinity-group", "anti-affinity-groups") {
		whole := b.ask(http.MethodGet, "/anti-affinity-group/"+group["id"].(string), nil)
		members, _ := whole["instances"].([]any)
		groups[group["name"].(string)] = len(members)
	}
	served := map[string][]string{}
	for _, record := range b.list("/dns-domain/"+b.id("/dns-domain", "dns-domains", "unicode-name", b.s.Spec.Domain())+"/record", "dns-domain-records") {
		if record["type"] == "A" {
			served[record["name"].(string)] = append(served[record["name"].(string)], record["content"].(string))
		}
	}
	for name, role := range map[string]string{"api": "master", "ingress": "worker", "router": "worker"} {
		slices.Sort(served[name])
		slices.Sort(addresses[role])
		if len(served[name]) == 0 || !slices.Equal(served[name], addresses[role]) {
			t.Errorf("%s leads to %v, the machines are %v", name, served[name], addresses[role])
		}
	}
	if groups["c-demo-1_worker"] != 8 || groups["c-demo-1_worker_2"] != 1 {
		t.Errorf("the anti-affinity groups have members: %v", groups)
	}
	if len(b.list("/elastic-ip", "elastic-ips")) > 0 || addresses["lb"] != nil {
		t.Error("there are load balancers")
	}
}

func dedicatedAndProtected(t *testing.T, b backdoor) {
	zone := "/dns-domain/" + b.id("/dns-domain", "dns-domains", "unicode-name", b.s.Spec.Domain())
	b.id(zone+"/record", "dns-domain-records", "name", "*.applications")
	if console := facts(t, b.s).ConsoleURL; console != "https://console-openshift-console.applications."+b.s.Spec.Domain() {
		t.Errorf("the console is at %s", console)
	}
	target := b.id("/deploy-target", "deploy-targets", "name", "dedicated-1")
	for _, machine := range b.list("/instance", "instances") {
		path := "/instance/" + machine["id"].(string)
		whole := b.ask(http.MethodGet, path, nil)
		if on, _ := whole["deploy-target"].(map[string]any); on["id"] != target {
			t.Errorf("%s runs on %v", machine["name"], on)
		}
		if machine["name"] != "master-1" {
			continue
		}
		if status, answer := b.try(http.MethodDelete, path, nil); status == http.StatusOK {
			t.Errorf("a master can be deleted: %v", answer)
		}
	}
}

// cloudControlled requires that the cloud controller has initialized every node, and that the release is the expected one.
func cloudControlled(version, image string) func(*testing.T, backdoor) {
	return func(t *testing.T, b backdoor) {
		noted := facts(t, b.s)
		if noted.OpenShiftVersion != version || !strings.Contains(noted.ReleaseImage, "@sha256:") || !strings.HasPrefix(noted.Template, image) {
			t.Errorf("the release is %s, %s, on %s", noted.OpenShiftVersion, noted.ReleaseImage, noted.Template)
		}
		nodes := nodesOf(t, b.s)
		if len(nodes) != 13 {
			t.Errorf("%d nodes", len(nodes))
		}
		for _, node := range nodes {
			if zone := node.Labels["topology.kubernetes.io/zone"]; zone != b.s.Spec.Exoscale.Zone {
				t.Errorf("node %s is in zone %q", node.Name, zone)
			}
		}
	}
}

// keptAndDestroyed repeats an installation, checks it, and destroys the cluster; the zone is then as before.
func keptAndDestroyed(t *testing.T, s run.Run, zone *simcloud.Zone, before []string) {
	t.Helper()
	made := zone.Mutations()
	installed(t, s)
	if repeated := zone.Mutations() - made; repeated != 0 {
		t.Errorf("the second run made %d mutating calls", repeated)
	}
	preview, err := s.Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if pending := preview.ListPending(); len(pending) > 0 {
		t.Errorf("a finished cluster has pending changes: %v", pending)
	}
	if diff := cmp.Diff(before, afterDestroying(t, s)); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}

// installed runs an installation that has to succeed without a diagnosis.
func installed(t *testing.T, s run.Run) []provisioner.Event {
	t.Helper()
	return installedTo(t, s, &bytes.Buffer{}, os.Stderr)
}

func installedTo(t *testing.T, s run.Run, out *bytes.Buffer, log io.Writer) []provisioner.Event {
	t.Helper()
	if err := installWith(t.Context(), s, cli.Streams{Out: out, Err: log}); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out.String()))
	}
	events := eventsOf(t, out.String())
	for _, event := range events {
		if event.Type == provisioner.TypeDiagnosis {
			t.Errorf("%s is %s: %s", event.Name, event.State, event.Evidence)
		}
	}
	return events
}

// afterDestroying destroys a cluster with its folder and its backups, and returns the remaining objects.
func afterDestroying(t *testing.T, s run.Run) []string {
	t.Helper()
	noted, err := s.Folder.LoadFacts()
	if err != nil {
		t.Fatal(err)
	}
	place := teardown.Cluster{Spec: s.Spec, Secrets: s.Secrets, Net: s.Net, Access: s.Access, Folder: s.Folder, HasFolder: true, Facts: noted}
	d := destroyFlags{Options: cli.Options{Output: cli.OutputJSON}, confirmID: s.Spec.Cluster.ID, deleteBackups: true}
	var out bytes.Buffer
	if err := d.destroy(t.Context(), cli.Streams{Out: &out, Err: os.Stderr}, place); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out.String()))
	}
	return belongings(t, s)
}
