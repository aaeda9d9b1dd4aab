package main

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

// removeMachine deletes a machine and its node: manual steps.
func removeMachine(b backdoor, name string) {
	b.t.Helper()
	b.ask(http.MethodDelete, "/instance/"+b.id("/instance", "instances", "name", name), nil)
	forget(b, name)
}

// A recreated master has joined once etcd has a member on it, for which the old member has to be removed manually; it is not
// created while etcd has no quorum without it. Machines that have to change are replaced one by one: the missing one is
// created, and the others are reported until they are replaced, too.
func TestRemadeMachines_FollowAnswers(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "happy", func(t *testing.T, s run.Run, zone *simcloud.Zone) {
		installed(t, s)
		b := backdoor{t, s}
		removeMachine(b, "master-1")
		errand := waitingForEtcd(t, s)
		id := regexp.MustCompile(`rsh -c etcdctl etcd-master-0 etcdctl member remove ([0-9a-f]+)\n`).FindStringSubmatch(errand)
		if id == nil || etcdEndpoints(t, s)[id[1]] == "" || !strings.Contains(errand, "delete secret etcd-peer-master-1 ") {
			t.Errorf("the member to remove is not named: %s", errand)
		}
		removeMember(t, s, "master-1")
		if done := repaired(t, s); len(done) > 0 {
			t.Errorf("made again: %v", done)
		}
		address := ""
		for _, machine := range b.list("/instance", "instances") {
			if machine["name"] == "master-1" {
				address = machine["public-ip"].(string)
			}
		}
		if endpoints := etcdEndpoints(t, s); len(endpoints) != 3 || !slices.Contains(slices.Collect(maps.Values(endpoints)), address) {
			t.Errorf("etcd's members are %v, and master-1 is %s", endpoints, address)
		}
		areReplacedOneByOne(t, s)
		surplusIsFound(t, b)
		quorumIsKept(t, b, zone)
	})
}

// removeMember removes a master's former member from etcd, with its certificates, as the action needed says.
func removeMember(t *testing.T, s run.Run, node string) {
	t.Helper()
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	seen, err := cluster.InspectControlPlane(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if action, err := cluster.RemoveMember(t.Context(), *seen.FindPeer(node)); err != nil || action != state.Deleted {
		t.Fatal(action, err)
	}
	if deleted, err := cluster.DeleteMemberSecrets(t.Context(), node); err != nil || len(deleted) != 3 {
		t.Fatal(deleted, err)
	}
}

// waitingForEtcd installs until the recreated master is a Ready node without an etcd member, and returns the action needed.
func waitingForEtcd(t *testing.T, s run.Run) (errand string) {
	t.Helper()
	ready := false
	events := interruptedAt(t, s, func(e provisioner.Event) bool {
		ready = ready || e.Type == provisioner.TypeNode && e.Name == "master-1" && e.State == "Ready"
		return ready && e.Type == provisioner.TypeWait && e.Step == "masters" && strings.Contains(e.Last, "etcd has no healthy member on master-1")
	})
	for _, e := range events {
		if (e.Step == "masters" || e.Step == "etcd") && e.State == provisioner.Done {
			t.Errorf("the step %s is done, and etcd has no member on master-1", e.Step)
		}
		if e.Step == "masters" && strings.Contains(e.Hint, "etcdctl") {
			errand = e.Hint
		}
	}
	return errand
}

func etcdEndpoints(t *testing.T, s run.Run) map[string]string {
	t.Helper()
	var endpoints struct {
		Data map[string]string `json:"data"`
	}
	askCluster(t, s, http.MethodGet, "/api/v1/namespaces/openshift-etcd/configmaps/etcd-endpoints", &endpoints)
	return endpoints.Data
}

func areReplacedOneByOne(t *testing.T, s run.Run) {
	t.Helper()
	s.Spec.Sizing.Workers.Type = "standard.huge"
	removeMachine(backdoor{t, s}, "worker-2")
	out, err := finish(t, s)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "2 differ: worker-0: its type is standard.extra-large instead of standard.huge; worker-1") {
		t.Errorf("exit code %d: %v\n%s", exit.Code(err), err, lastLines(out))
	}
	if command := "exoshift nodes resize --group workers --type standard.huge"; strings.Count(fault.HintOf(err), command) != 1 {
		t.Errorf("%q is not told once:\n%s", command, fault.HintOf(err))
	}
	if !slices.ContainsFunc(eventsOf(t, out), func(e provisioner.Event) bool {
		return e.Type == provisioner.TypeObject && e.Name == "worker-2" && e.Action == string(state.Created)
	}) {
		t.Errorf("worker-2 is not made:\n%s", lastLines(out))
	}
	// Once the machines were changed, also by hand, no differences are left.
	b := backdoor{t, s}
	for _, offered := range b.list("/instance-type", "instance-types") {
		if offered["family"] != "standard" || offered["size"] != "huge" {
			continue
		}
		for _, name := range []string{"worker-0", "worker-1"} {
			machine := "/instance/" + b.id("/instance", "instances", "name", name)
			b.ask(http.MethodPut, machine+":stop", nil)
			b.ask(http.MethodPut, machine+":scale", map[string]any{"instance-type": map[string]any{"id": offered["id"]}})
			b.ask(http.MethodPut, machine+":start", nil)
		}
	}
	if done := repaired(t, s); len(done) > 0 {
		t.Errorf("made again: %v", done)
	}
}

// surplusIsFound adds a machine of the cluster that the answers do not include, and removes one from its security group.
func surplusIsFound(t *testing.T, b backdoor) {
	t.Helper()
	s := b.s
	s.Spec.Sizing.Workers.Type = "standard.huge"
	worker := "/instance/" + b.id("/instance", "instances", "name", "worker-1")
	group := b.id("/security-group", "security-groups", "name", "c-demo-1_worker")
	_, id, _ := strings.Cut(worker, "/instance/")
	b.ask(http.MethodPut, "/security-group/"+group+":detach", map[string]any{"instance": map[string]string{"id": id}})
	template := b.ask(http.MethodGet, worker, nil)
	b.ask(http.MethodPost, "/instance", map[string]any{
		"name": "worker-9", "instance-type": template["instance-type"], "template": template["template"], "disk-size": 100,
		"labels": map[string]string{state.LabelCluster: "c-demo-1", state.LabelRole: "worker", state.LabelRootCA: template["labels"].(map[string]any)[state.LabelRootCA].(string)},
	})
	preview, err := s.Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := changes.CheckUnchanged(nil, preview); exit.Code(err) != exit.Checks {
		t.Errorf("who expects no change hears %v", err)
	}
	_, err = finish(t, s)
	for _, text := range []string{"worker-1: it is not in the security group c-demo-1_worker", "worker-9: it is not in the answers"} {
		if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), text) {
			t.Errorf("%s is not told: exit code %d: %v", text, exit.Code(err), err)
		}
	}
	b.ask(http.MethodPut, "/security-group/"+group+":attach", map[string]any{"instance": map[string]string{"id": id}})
	b.ask(http.MethodDelete, "/instance/"+b.id("/instance", "instances", "name", "worker-9"), nil)
	if preview, err = s.Preview(t.Context()); err != nil || changes.CheckUnchanged(nil, preview) != nil {
		t.Errorf("after the repair: %v, %v", changes.CheckUnchanged(nil, preview), err)
	}
}

// quorumIsKept deletes two masters: none is recreated.
func quorumIsKept(t *testing.T, b backdoor, zone *simcloud.Zone) {
	t.Helper()
	s := b.s
	s.Spec.Sizing.Workers.Type = "standard.huge"
	removeMachine(b, "master-2")
	b.ask(http.MethodDelete, "/instance/"+b.id("/instance", "instances", "name", "master-0"), nil)
	before := zone.Mutations()
	preview, err := s.Preview(t.Context())
	if err != nil || preview.Refusal == nil || exit.Code(changes.CheckUnchanged(nil, preview)) != exit.Checks {
		t.Errorf("the plan refuses nothing: %v", err)
	}
	_, err = finish(t, s)
	if exit.Code(err) != exit.Checks || !strings.Contains(err.Error(), "make master-0, master-2 again") || zone.Mutations() != before {
		t.Errorf("exit code %d, %d changes: %v", exit.Code(err), zone.Mutations()-before, err)
	}
}
