package main

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"exoshift/provisioner/objects"

	"github.com/google/go-cmp/cmp"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// A plan lists every change made without the program, and one installation repairs all of them.
func driftRepaired(t *testing.T, s run.Run, zone *simcloud.Zone) {
	b := backdoor{t, s}
	var all []string
	for _, drift := range drifts() {
		drift.happen(b)
		made := zone.Mutations()
		now := pending(t, s)
		if zone.Mutations() != made {
			t.Errorf("%s: the plan changed something", drift.name)
		}
		fresh := slices.DeleteFunc(slices.Clone(now), func(one string) bool { return slices.Contains(all, one) })
		if diff := cmp.Diff(drift.want, fresh); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", drift.name, diff)
		}
		all = now
	}
	if diff := cmp.Diff(all, repaired(t, s)); diff != "" {
		t.Errorf("plan and installation (-plan +installation)\n%s", diff)
	}
	if rest := pending(t, s); len(rest) > 0 {
		t.Errorf("after the repair: %v", rest)
	}
	b.ask(http.MethodPut, "/instance/"+b.id("/instance", "instances", "name", "worker-1")+":stop", nil)
	preview, err := s.Preview(t.Context())
	if err != nil || !slices.ContainsFunc(preview.Changes, func(c install.Change) bool {
		return c.Name == "worker-1" && strings.Contains(c.Details, "is stopped")
	}) {
		t.Errorf("a stopped machine is not told of: %v", err)
	}
}

// For an interrupted installation, a plan lists only missing objects; it reports surplus objects, and keeps them.
func TestPlan_PartialCluster(t *testing.T) {
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		untilStep(t, s, "bootstrap-machine")
		var kinds []string
		for _, name := range pending(t, s) {
			kinds = append(kinds, name[:strings.LastIndex(name, " ")])
		}
		for _, there := range []string{state.KindSecurityGroup, state.KindElasticIP, state.KindZone, state.KindRole, state.KindTemplate, state.KindAntiAffinityGroup} {
			if slices.ContainsFunc(kinds, func(kind string) bool { return strings.Contains(kind, " "+there) }) {
				t.Errorf("a %s is made again: %v", there, kinds)
			}
		}
		if !slices.Contains(pending(t, s), "created instance worker-2") {
			t.Errorf("no worker is missing: %v", kinds)
		}
		s.Spec.LoadBalancer.Strategy = "dns-round-robin"
		preview, err := s.Preview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var surplus []string
		for _, change := range preview.Surplus {
			surplus = append(surplus, change.Kind+" "+change.Name)
		}
		slices.Sort(surplus)
		if diff := cmp.Diff([]string{"elastic-ip c-demo-1_api", "elastic-ip c-demo-1_ingress", "instance lb-0", "instance lb-1"}, surplus); diff != "" {
			t.Errorf("surplus (-want +got)\n%s", diff)
		}
	})
}

func pending(t *testing.T, s run.Run) []string {
	t.Helper()
	preview, err := s.Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return pendingOf(preview)
}

func pendingOf(preview install.Preview) []string {
	var names []string
	for _, change := range preview.ListPending() {
		names = append(names, sentence(string(change.Action), change.Kind, change.Name))
	}
	slices.Sort(names)
	return names
}

// allPlanned requires a plan of everything, which says what it cannot know.
func allPlanned(t *testing.T, s run.Run) {
	t.Helper()
	preview, err := s.Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if names := pendingOf(preview); len(names) < 40 {
		t.Errorf("a plan of nothing has %d changes", len(names))
	}
	for _, name := range []string{"api A", "ingress A"} {
		if !slices.ContainsFunc(preview.Changes, func(c install.Change) bool {
			return c.Kind == state.KindRecord && c.Name == name && c.Details == "its address is known once the elastic IP exists"
		}) {
			t.Errorf("the plan has no %s whose address is not known yet", name)
		}
	}
}

// forget deletes the node of a machine that is gone: a manual step.
func forget(b backdoor, node string) {
	b.t.Helper()
	askCluster(b.t, b.s, http.MethodDelete, "/api/v1/nodes/"+node, nil)
}

// sentence leaves out addresses, which a plan cannot know.
func sentence(action, kind, name string) string {
	if record, _, address := strings.Cut(name, " A "); address && kind == "dns-record" {
		name = record + " A"
	}
	return action + " " + kind + " " + name
}

// repaired installs and returns the changes of the cloud, sorted.
func repaired(t *testing.T, s run.Run) []string {
	t.Helper()
	var out bytes.Buffer
	if err := installWith(t.Context(), s, cli.Streams{Out: &out, Err: os.Stderr}); err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out.String()))
	}
	var names []string
	for _, e := range eventsOf(t, out.String()) {
		inside := e.Kind == "node" || e.Kind == "image-registry"
		if e.Type == provisioner.TypeObject && e.Action != string(state.Found) && !inside {
			names = append(names, sentence(e.Action, e.Kind, e.Name))
		}
	}
	slices.Sort(names)
	return names
}

// drift is a change of the cluster's objects made by someone else.
type drift struct {
	name   string
	happen func(b backdoor)
	want   []string // the expected plan
}

func drifts() []drift {
	group := func(b backdoor, name string) string {
		return "/security-group/" + b.id("/security-group", "security-groups", "name", name)
	}
	ip := func(b backdoor, name string) string { return b.id("/elastic-ip", "elastic-ips", "description", name) }
	machine := func(b backdoor, name string) string {
		return "/instance/" + b.id("/instance", "instances", "name", name)
	}
	return []drift{
		{"a rule", func(b backdoor) {
			rules := b.ask(http.MethodGet, group(b, "c-demo-1_infra"), nil)["rules"].([]any)
			b.ask(http.MethodDelete, group(b, "c-demo-1_infra")+"/rules/"+rules[0].(map[string]any)["id"].(string), nil)
		}, []string{"updated security-group c-demo-1_infra"}},
		{"a record", func(b backdoor) {
			zone := "/dns-domain/" + b.id("/dns-domain", "dns-domains", "unicode-name", b.s.Spec.Domain())
			b.ask(http.MethodDelete, zone+"/record/"+b.id(zone+"/record", "dns-domain-records", "name", "*.apps"), nil)
		}, []string{"created dns-record *.apps CNAME ingress.c-demo-1.example.net"}},
		{"the name of an address", func(b backdoor) {
			b.ask(http.MethodDelete, "/reverse-dns/elastic-ip/"+ip(b, "c-demo-1_api"), nil)
		}, []string{"updated elastic-ip c-demo-1_api"}},
		{"a health check", func(b backdoor) {
			b.ask(http.MethodPut, "/elastic-ip/"+ip(b, "c-demo-1_ingress"), map[string]any{"healthcheck": map[string]any{"mode": "http", "port": 80, "uri": "/", "interval": 10, "timeout": 2, "strikes-ok": 2, "strikes-fail": 3}})
		}, []string{"updated elastic-ip c-demo-1_ingress"}},
		{"an attachment", func(b backdoor) {
			_, id, _ := strings.Cut(machine(b, "lb-0"), "/instance/")
			b.ask(http.MethodPut, "/elastic-ip/"+ip(b, "c-demo-1_api")+":detach", map[string]any{"instance": map[string]string{"id": id}})
		}, []string{"created elastic-ip-attachment c-demo-1_api on lb-0"}},
		{"a policy", func(b backdoor) {
			b.ask(http.MethodPut, "/iam-role/"+b.id("/iam-role", "iam-roles", "name", "c-demo-1_csi-driver-exoscale")+":policy", map[string]any{"default-service-strategy": "allow", "services": map[string]any{}})
		}, []string{"updated iam-role c-demo-1_csi-driver-exoscale"}},
		{"a key", func(b backdoor) {
			for _, key := range b.list("/api-key", "api-keys") {
				if key["name"] == "c-demo-1_object_storage" {
					b.ask(http.MethodDelete, "/api-key/"+key["key"].(string), nil)
				}
			}
		}, []string{"created api-key c-demo-1_object_storage"}},
		{"a bucket", func(b backdoor) {
			storage, err := objects.New(b.s.Net, b.s.Spec.Exoscale.Zone, b.s.Secrets.APIKey, b.s.Secrets.APISecret, state.NoJournal{})
			b.check(err)
			defer storage.Close()
			_, err = storage.WithOwner(b.s.Spec.Cluster.ID).DeleteBucket(b.t.Context(), "c-demo-1-cluster-backup")
			b.check(err)
		}, []string{"created bucket c-demo-1-cluster-backup"}},
		{"a node", func(b backdoor) {
			b.ask(http.MethodDelete, machine(b, "worker-2"), nil)
			forget(b, "worker-2")
		}, []string{"created instance worker-2"}},
		{"a load balancer", func(b backdoor) { b.ask(http.MethodDelete, machine(b, "lb-1"), nil) }, []string{
			"created dns-record api-int A", "created dns-record lb-1 A", "created elastic-ip-attachment c-demo-1_api on lb-1", "created elastic-ip-attachment c-demo-1_ingress on lb-1",
			"created instance lb-1", "deleted dns-record api-int A", "deleted dns-record lb-1 A",
		}},
	}
}
