package state

import (
	"slices"
	"testing"
)

func nameMachines(spec Spec, role Role) (names []string) {
	for _, machine := range spec.Machines(role) {
		names = append(names, machine.Name)
	}
	return names
}

func TestSpec_WithoutNodeKeepsNames(t *testing.T) {
	spec := Default()
	spec.Sizing.Workers.Count = 5
	spec = spec.WithoutNode(RoleWorker, 1).WithoutNode(RoleWorker, 3)
	if got := nameMachines(spec, RoleWorker); spec.Sizing.Workers.Count != 3 || !slices.Equal(got, []string{"worker-0", "worker-2", "worker-4"}) {
		t.Errorf("%d workers: %v", spec.Sizing.Workers.Count, got)
	}
	spec.Sizing.Workers.Count = 4
	if got := nameMachines(spec, RoleWorker); !slices.Equal(got, []string{"worker-0", "worker-1", "worker-2", "worker-4"}) {
		t.Errorf("one more does not fill the gap: %v", got)
	}
	spec.Sizing.Workers.Count = 2
	if got := nameMachines(spec, RoleWorker); !slices.Equal(got, []string{"worker-0", "worker-2"}) {
		t.Errorf("one less: %v", got)
	}
}

func TestSpec_WithoutNodeForgetsWhatHasNoGap(t *testing.T) {
	spec := Default()
	spec.Sizing.Workers.Count, spec.Sizing.Infra.Count = 3, 3
	spec = spec.WithoutNode(RoleInfra, 0).WithoutNode(RoleWorker, 0)
	if spec.WithoutNode(RoleWorker, 2).WithoutNode(RoleWorker, 1).Indices[RoleWorker] != nil {
		t.Error("indices are kept of a group without nodes")
	}
	if got := spec.WithoutNode(RoleInfra, 2).WithoutNode(RoleInfra, 1); got.Indices[RoleInfra] != nil || got.Indices[RoleWorker] == nil {
		t.Errorf("indices %v", got.Indices)
	}
	if last := spec.WithFacts(Facts{}).WithoutNode(RoleWorker, 1); last.Indices != nil {
		t.Errorf("without the last one: %v", last.Indices)
	}
}

func TestFacts_RemovalOfEachNodeOnce(t *testing.T) {
	var facts Facts
	facts.SetRemoval(NodeRemoval{Node: "a"})
	facts.SetRemoval(NodeRemoval{Node: "b"})
	facts.SetRemoval(NodeRemoval{Node: "a", Committed: true})
	if found := facts.FindRemoval("a"); len(facts.Removals) != 2 || found == nil || !found.Committed {
		t.Errorf("removals %+v", facts.Removals)
	}
	facts.DropRemoval("a")
	facts.DropRemoval("b")
	if len(facts.Removals) > 0 {
		t.Errorf("removals %+v", facts.Removals)
	}
}
