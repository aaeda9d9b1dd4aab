package controlplane

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner/install/machines"
	"exoshift/state"
)

func members(states ...string) state.EtcdStatus {
	status := state.EtcdStatus{BootstrapRemoved: true, Message: "as told"}
	for n, member := range states {
		status.Members = append(status.Members, state.EtcdMember{Name: spec().Machines(state.RoleMaster)[n].Name, State: member})
	}
	return status
}

func TestMemberless_CurrentMachine(t *testing.T) {
	started := machines.New(machines.Deps{Spec: spec()})
	c := New(spec(), &state.FactsStore{}, started, nil)
	for n, address := range []string{"192.0.2.10", "192.0.2.21", "192.0.2.12"} {
		name := spec().Machines(state.RoleMaster)[n].Name
		started.Record(state.Instance{Name: name, Address: address})
	}
	status := members("voter", "voter", "voter")
	status.Voters = map[string]string{"a0": "192.0.2.10", "b1": "192.0.2.11", "c2": "192.0.2.12"}
	if err := c.checkMemberMachines(status); err == nil || !strings.Contains(err.Error(), "no healthy member on master-1:") {
		t.Errorf("the member of the machine before counts: %v", err)
	}
	status.Members[1].State = "unhealthy"
	for _, line := range []string{"etcd-master-0 etcdctl member remove b1", "delete secret etcd-peer-master-1 etcd-serving-master-1 etcd-serving-metrics-master-1"} {
		if action := c.describeStaleMembers(status); !strings.Contains(action, line) {
			t.Errorf("%q does not say %s", action, line)
		}
	}
	status = members("voter", "voter", "voter")
	status.Voters = map[string]string{"a0": "192.0.2.10", "d1": "192.0.2.21", "c2": "192.0.2.12"}
	if err := c.checkMemberMachines(status); err != nil || c.describeStaleMembers(status) != "" {
		t.Errorf("it is whole: %v, %q", err, c.describeStaleMembers(status))
	}
	status.Members[2].State = "unhealthy"
	if err := c.checkMemberMachines(status); err == nil || c.describeStaleMembers(status) != "" {
		t.Errorf("a member that is there and not healthy: %v, %q", err, c.describeStaleMembers(status))
	}
}

func TestReadyNodes_IgnoresEarlierMachine(t *testing.T) {
	now := time.Now()
	started := machines.New(machines.Deps{Spec: spec()})
	started.Record(state.Instance{Name: "worker-0", Created: now})
	c := New(spec(), &state.FactsStore{}, started, nil)
	nodes := []state.NodeStatus{{Name: "worker-0", Ready: true, Created: now.Add(-time.Hour)}}
	if err := c.checkReadyNodes(state.Snapshot{Nodes: nodes}, spec().Machines(state.RoleWorker)[:1]); err == nil || !strings.Contains(err.Error(), "not registered: worker-0") {
		t.Errorf("%v", err)
	}
	nodes[0].Created = now.Add(time.Minute)
	if err := c.checkReadyNodes(state.Snapshot{Nodes: nodes}, spec().Machines(state.RoleWorker)[:1]); err != nil {
		t.Errorf("%v", err)
	}
}
