package openshift_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const etcds = "etcds.operator.openshift.io"

func (r *rehearsal) masters(t *testing.T) {
	t.Helper()
	for n := range 3 {
		name := fmt.Sprintf("master-%d", n)
		r.expected = append(r.expected, state.ExpectedNode{Name: name, Role: state.RoleMaster, Created: time.Now()})
		r.put(t, "nodes", "", master(name, fmt.Sprintf("192.0.2.1%d", n)))
	}
}

// etcd sets the operator's member count, the voting members, and the revisions of the masters.
func (r *rehearsal) etcd(t *testing.T, message string, voting []string, revisions [3]int, more ...[3]string) {
	t.Helper()
	if _, exists := r.objects.Get(etcds, "", "cluster"); !exists {
		r.put(t, etcds, "", named("cluster"))
		r.put(t, "configmaps", "openshift-etcd", named("etcd-endpoints"))
	}
	r.change(t, etcds, "", "cluster", "status.conditions", conditions(append(more, [3]string{"EtcdMembersAvailable", "True", message})...))
	var statuses []any
	for n, revision := range revisions {
		statuses = append(statuses, map[string]any{"nodeName": fmt.Sprintf("master-%d", n), "currentRevision": revision})
	}
	r.change(t, etcds, "", "cluster", "status.nodeStatuses", statuses)
	r.change(t, etcds, "", "cluster", "status.latestAvailableRevision", 5)
	data := map[string]any{}
	for n, address := range voting {
		data[fmt.Sprintf("8e9e05c5216469%02d", n)] = address
	}
	r.change(t, "configmaps", "openshift-etcd", "etcd-endpoints", "data", data)
}

func TestEtcd_NamesMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		if status := r.observe(t).Etcd; len(status.Members) != 0 || status.BlockedReason != "" {
			t.Errorf("before the operator has reported: %+v", status)
		}
		r.masters(t)
		r.etcd(t, "3 members are available", []string{"192.0.2.11"}, [3]int{0, 4, 5})
		r.put(t, "events", "openshift-etcd-operator", with(with(named("added"), "reason", "MemberAddAsLearner"),
			"message", "successfully added new member https://192.0.2.12:2380"))
		r.put(t, "events", "openshift-etcd-operator", with(with(named("failed"), "reason", "MemberAddAsLearner"),
			"message", "failed to add new member https://192.0.2.10:2380: timeout"))
		want := state.EtcdStatus{
			Message: "3 members are available", Revision: 5, BlockedReason: "no member yet on master-0",
			Voters: map[string]string{"8e9e05c521646900": "192.0.2.11"},
			Members: []state.EtcdMember{
				{Name: "etcd-bootstrap", State: "voter"},
				{Name: "master-1", State: "voter", Revision: 4}, {Name: "master-2", State: "learner", Revision: 5},
			},
		}
		if diff := cmp.Diff(want, r.observe(t).Etcd); diff != "" {
			t.Error(diff)
		}
	})
}

type stage struct {
	message  string
	voting   []string
	more     [][3]string
	complete bool
	members  int
	held     string
}

func TestEtcd_GrowsAndShrinks(t *testing.T) {
	all := []string{"192.0.2.10", "192.0.2.11", "192.0.2.12"}
	whole, removed := [3]string{"EtcdRunningInCluster", "True", ""}, [3]string{"EtcdBootstrapMemberRemoved", "True", ""}
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		for _, now := range []stage{
			{message: "1 members are available", members: 1, held: "no member yet on master-0, master-1, master-2"},
			{
				message: "1 of 2 members are available, NAME-PENDING-192.0.2.10 has not started",
				members: 2, held: "no member yet on master-1, master-2",
			},
			{message: "3 members are available", voting: all[:2], members: 3, held: "no member yet on master-2"},
			{message: "4 members are available", voting: all[:2], members: 4, held: "still learning: master-2"},
			{
				message: "2 of 4 members are available, master-1 is unhealthy, NAME-PENDING-192.0.2.12 has not started",
				voting:  all[:2], members: 4, held: "unhealthy: master-1; not started: master-2",
			},
			{
				message: "4 members are available", voting: all, members: 4, held: "still waiting for three healthy etcd members",
				more: [][3]string{{"EtcdRunningInCluster", "False", "still waiting for three healthy etcd members"}},
			},
			{
				message: "4 members are available", voting: all, more: [][3]string{whole}, members: 4,
				held: "the bootstrap machine has not reported completion yet",
			},
			{
				message: "3 of 4 members are available, etcd-bootstrap is unhealthy", voting: all, more: [][3]string{whole},
				complete: true, members: 4, held: "the operator is about to remove it",
			},
			{message: "3 members are available", voting: all, more: [][3]string{whole, removed}, members: 3},
		} {
			r.etcd(t, now.message, now.voting, [3]int{}, now.more...)
			if now.complete {
				r.put(t, "configmaps", "kube-system", with(named("bootstrap"), "data", map[string]any{"status": "complete"}))
			}
			r.observe(t)
			seen := r.observe(t)
			if len(seen.Etcd.Members) != now.members || seen.Etcd.BlockedReason != now.held {
				t.Errorf("%s: %d members, held: %q, want %d, %q", now.message, len(seen.Etcd.Members), seen.Etcd.BlockedReason, now.members, now.held)
			}
			if seen.Bootstrap.Has(state.PhaseMemberRemoved) != (now.held == "") {
				t.Errorf("%s: reached %v", now.message, seen.Bootstrap.Reached)
			}
		}
	})
}

func TestEtcd_ReportsUnusualConditions(t *testing.T) {
	none := [3]string{"EtcdEndpointsDegraded", "True", "no etcd members are present"}
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		r.etcd(t, "1 members are available", nil, [3]int{}, none)
		if complaints := r.observe(t).Etcd.Degraded; len(complaints) > 0 {
			t.Errorf("with the bootstrap member alone: %q", complaints)
		}
		r.etcd(t, "2 members are available", nil, [3]int{}, none, [3]string{"FSyncControllerDegraded", "True", "disk is slow"},
			[3]string{"ScriptControllerDegraded", "False", "as expected"})
		want := []string{"EtcdEndpointsDegraded: no etcd members are present", "FSyncControllerDegraded: disk is slow"}
		if diff := cmp.Diff(want, r.observe(t).Etcd.Degraded); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEtcd_RemovalNeedsCondition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		r.etcd(t, "3 members are available", []string{"192.0.2.10", "192.0.2.11", "192.0.2.12"}, [3]int{1, 1, 1})
		r.put(t, "clusterversions.config.openshift.io", "", named("version"))
		r.installed(t)
		r.put(t, "nodes", "", with(named("worker-0"), "status.conditions", conditions([3]string{"Ready", "True", ""})))
		for range 3 {
			if seen := r.observe(t).Bootstrap; seen.Has(state.PhaseMemberRemoved) || !seen.Has(state.PhaseNodes) || !seen.Has(state.PhaseVersion) {
				t.Fatalf("reached %v", seen.Reached)
			}
		}
	})
}

func TestEtcd_RequestsEventsWhileNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.masters(t)
		r.etcd(t, "3 members are available", nil, [3]int{}, [3]string{"EtcdRunningInCluster", "True", ""})
		r.observe(t)
		if requests := r.CountRequests(); requests["list v1/events@openshift-etcd-operator"] != 0 || requests["get operator.openshift.io/v1/etcds"] != 1 {
			t.Error(requests)
		}
	})
}

func pod(name, node, phase string) kube.Object {
	return with(with(named(name), "spec.nodeName", node), "status.phase", phase)
}
