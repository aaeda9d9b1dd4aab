package nodes

import (
	"slices"
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
)

func exampleSpec() state.Spec {
	spec := state.Default()
	spec.Sizing.ControlPlane = state.MachineSpec{Type: "standard.large", Count: 3, RootDisk: 100}
	spec.Sizing.Infra, spec.Sizing.Storage = state.MachineSpec{}, state.MachineSpec{}
	spec.Sizing.Workers = state.MachineSpec{Type: "standard.large", Count: 2, RootDisk: 100, DataDisk: 50}
	return spec
}

func newMachine(name, id string, role state.Role, kind string, disk int) state.Instance {
	return state.Instance{Name: name, ID: id, Type: kind, DiskGiB: disk, State: "running", Labels: map[string]string{state.LabelRole: string(role)}}
}

func TestJoin_DifferencesFromTheAnswers(t *testing.T) {
	member := func(name string) state.ClusterNode {
		return state.ClusterNode{NodeStatus: state.NodeStatus{Name: name, Ready: true}, Config: "rendered-x-app-0123abc"}
	}
	all := join(exampleSpec(), state.Facts{}, []state.ClusterNode{member("worker-0"), member("stranger")}, []state.Instance{
		newMachine("worker-0", "1", state.RoleWorker, "standard.huge", 100), newMachine("worker-7", "7", state.RoleWorker, "standard.large", 150),
		newMachine("lb-0", "l", state.RoleLoadBalancer, "standard.small", 20),
	})
	var lines []string
	for _, node := range all {
		lines = append(lines, node.Name+" "+node.Pool()+": "+strings.Join(node.Differs(), ", "))
	}
	want := []string{
		"master-0 : there is no machine, it is no node of the cluster", "master-1 : there is no machine, it is no node of the cluster",
		"master-2 : there is no machine, it is no node of the cluster", "worker-0 x-app: type standard.huge, not standard.large, disk 100 GiB, not 150 GiB",
		"worker-1 : there is no machine, it is no node of the cluster", "stranger x-app: the answers do not ask for it", "worker-7 : the answers do not ask for it",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("it is\n%s", strings.Join(lines, "\n"))
	}
}

// A removal that could not be recorded as ended says nothing about a machine that was made since.
func TestJoin_RemovalOfAnEarlierMachine(t *testing.T) {
	facts := state.Facts{Removals: []state.NodeRemoval{{Node: "worker-0", MachineID: "1", Committed: true}, {Node: "worker-1", MachineID: "2", Committed: true}}}
	all := join(exampleSpec(), facts, nil, []state.Instance{
		newMachine("worker-0", "new", state.RoleWorker, "", 0), newMachine("worker-1", "2", state.RoleWorker, "", 0),
	})
	if all[3].Removal != nil || all[4].Removal == nil {
		t.Errorf("%+v, %+v", all[3].Removal, all[4].Removal)
	}
	r := review{NewRemoval(exampleSpec(), state.NewFactsStore(facts, nil), Clients{}, Options{}), all}
	if err := r.checkPending([]string{"worker-1"}); err != nil {
		t.Errorf("the removal of the earlier worker-0 has to be ended: %v", err)
	}
	if err := r.checkPending([]string{"worker-0"}); err == nil || !strings.Contains(err.Error(), "the removal of worker-1 has not ended") {
		t.Errorf("the removal of worker-1: %v", err)
	}
}

// Whatever the order of events, no more nodes than that are between their first step and their last.
func TestPlan_AsManyNodesAtATime(t *testing.T) {
	for parallel, chains := range map[int]int{1: 1, 3: 3, 20: 10} {
		r := &Removal{options: Options{Parallel: parallel}}
		for _, name := range strings.Split("a b c d e f g h i j", " ") {
			r.targets = append(r.targets, Target{Node: Node{Name: name}})
		}
		plan := r.Plan()
		if err := plan.Validate(); err != nil {
			t.Fatal(err)
		}
		first := slices.DeleteFunc(plan, func(s provisioner.Step) bool { return len(s.Needs) > 0 })
		if len(first) != chains {
			t.Errorf("%d at a time: %d begin at once", parallel, len(first))
		}
	}
}

func TestSelectEvictable_WithoutWhatEndsWithTheNode(t *testing.T) {
	left := selectEvictable([]state.Pod{
		{Name: "mirror", Mirror: true}, {Name: "finished", Finished: true}, {Name: "daemon", Owner: "DaemonSet/d"}, {Name: "static", Owner: "Node/n"},
		{Name: "app", Owner: "ReplicaSet/r"}, {Name: "alone"},
	})
	if len(left) != 2 || left[0].Name != "app" || left[1].Name != "alone" {
		t.Errorf("left are %+v", left)
	}
}
