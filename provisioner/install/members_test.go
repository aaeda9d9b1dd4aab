package install

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/state"
)

// ballot is a cluster with the given state of etcd.
type ballot struct {
	Cluster
	etcd state.EtcdStatus
	err  error
}

func (b ballot) Poll(context.Context, netip.Addr, []state.ExpectedNode) (state.Snapshot, error) {
	return state.Snapshot{Etcd: b.etcd}, b.err
}

func members(states ...string) state.EtcdStatus {
	status := state.EtcdStatus{BootstrapRemoved: true, Message: "as told"}
	for n, member := range states {
		status.Members = append(status.Members, state.EtcdMember{Name: spec().Machines(state.RoleMaster)[n].Name, State: member})
	}
	return status
}

func TestCheckMembers_RefusesMastersThatEtcdCannotDoWithout(t *testing.T) {
	masters := spec().Machines(state.RoleMaster)
	for name, c := range map[string]struct {
		etcd    state.EtcdStatus
		err     error
		missing []state.Machine
		refusal string
	}{
		"two others are healthy":     {etcd: members("unhealthy", "voter", "voter"), missing: masters[:1]},
		"not noticed yet":            {etcd: members("voter", "voter", "voter"), missing: masters[:1]},
		"one other is unhealthy":     {etcd: members("unhealthy", "voter", "unhealthy"), missing: masters[:1], refusal: "1 other members of etcd are healthy, and 2 have to be"},
		"one other only learns":      {etcd: members("unhealthy", "voter", "learner"), missing: masters[:1], refusal: "1 other members"},
		"two are missing":            {etcd: members("voter", "voter", "voter"), missing: masters[:2], refusal: "make master-0, master-1 again: 1 other members"},
		"the API does not answer":    {err: errors.New("no leader"), missing: masters[:1], refusal: "cannot be asked for: no leader"},
		"workers are none of etcd's": {err: errors.New("no leader"), missing: spec().Machines(state.RoleWorker)},
	} {
		t.Run(name, func(t *testing.T) {
			i := &Installation{spec: spec(), facts: &state.FactsStore{}, clients: Clients{Clock: network.Clock{}, Cluster: ballot{etcd: c.etcd, err: c.err}}}
			if err := i.checkMembers(t.Context(), func(provisioner.Event) {}, c.missing); err != nil {
				t.Errorf("before the bootstrap is over: %v", err)
			}
			i.facts = state.NewFactsStore(state.Facts{BootstrapRemoved: time.Now()}, nil)
			err := i.checkMembers(t.Context(), func(provisioner.Event) {}, c.missing)
			if (err != nil) != (c.refusal != "") || err != nil && (!strings.Contains(err.Error(), c.refusal) || !fault.Is(err, fault.Conflict) || fault.HintOf(err) == "") {
				t.Errorf("%v\n%s", err, fault.HintOf(err))
			}
		})
	}
}

func TestMemberless_GoesByTheMachineOfNow(t *testing.T) {
	i := &Installation{spec: spec(), nodes: map[string]state.Instance{}}
	for n, address := range []string{"192.0.2.10", "192.0.2.21", "192.0.2.12"} {
		name := spec().Machines(state.RoleMaster)[n].Name
		i.nodes[name] = state.Instance{Name: name, Address: address}
	}
	status := members("voter", "voter", "voter")
	status.Voters = map[string]string{"a0": "192.0.2.10", "b1": "192.0.2.11", "c2": "192.0.2.12"}
	if err := i.checkMemberMachines(status); err == nil || !strings.Contains(err.Error(), "no healthy member on master-1:") {
		t.Errorf("the member of the machine before counts: %v", err)
	}
	status.Members[1].State = "unhealthy"
	for _, line := range []string{"etcd-master-0 etcdctl member remove b1", "delete secret etcd-peer-master-1 etcd-serving-master-1 etcd-serving-metrics-master-1"} {
		if errand := i.describeStaleMembers(status); !strings.Contains(errand, line) {
			t.Errorf("%q does not say %s", errand, line)
		}
	}
	status = members("voter", "voter", "voter")
	status.Voters = map[string]string{"a0": "192.0.2.10", "d1": "192.0.2.21", "c2": "192.0.2.12"}
	if err := i.checkMemberMachines(status); err != nil || i.describeStaleMembers(status) != "" {
		t.Errorf("it is whole: %v, %q", err, i.describeStaleMembers(status))
	}
	status.Members[2].State = "unhealthy"
	if err := i.checkMemberMachines(status); err == nil || i.describeStaleMembers(status) != "" {
		t.Errorf("a member that is there and not healthy: %v, %q", err, i.describeStaleMembers(status))
	}
}

func TestReadyNodes_AnOlderNodeIsThatOfAnEarlierMachine(t *testing.T) {
	now := time.Now()
	i := &Installation{spec: spec(), nodes: map[string]state.Instance{"worker-0": {Created: now}}}
	nodes := []state.NodeStatus{{Name: "worker-0", Ready: true, Created: now.Add(-time.Hour)}}
	if err := i.checkReadyNodes(nodes, spec().Machines(state.RoleWorker)[:1]); err == nil || !strings.Contains(err.Error(), "not registered: worker-0") {
		t.Errorf("%v", err)
	}
	nodes[0].Created = now.Add(time.Minute)
	if err := i.checkReadyNodes(nodes, spec().Machines(state.RoleWorker)[:1]); err != nil {
		t.Errorf("%v", err)
	}
}
