package nodes

import (
	"fmt"
	"slices"

	"exoshift/provisioner/nodes/ceph"
	"exoshift/state"
)

// Target is a node that is to be removed.
type Target struct {
	Node
	Replacement  *state.Machine      // that takes its place, and is made first; nil: none does
	Pool         *state.InstancePool // that its machine is a member of; nil: of none
	Pods         []state.Pod         // that have to go elsewhere
	Blocked      []string            // pods whose budgets permit no eviction now
	Attachments  []string            // volumes that are attached to it
	LocalVolumes []string            // claims whose volumes only it has
	Warnings     []string            // of Ceph, which do not keep it from being removed
}

// exchange returns the answers without the node, and with what takes its place.
func (t Target) exchange(spec state.Spec) state.Spec {
	if next := t.Replacement; next != nil && next.Name == newMember { // the count stays, and the name is not known
		spec.Members = spec.Members.Without(t.Role, t.Name)
		return spec
	}
	if next := t.Replacement; next != nil && !hasMachine(spec, next.Name) {
		spec = spec.WithNode(next.Role, next.Index)
	}
	for _, machine := range spec.Nodes() {
		if t.Answer != nil && machine.Name == t.Name {
			return spec.WithoutNode(t.Role, machine.Index)
		}
	}
	return spec
}

func hasMachine(spec state.Spec, name string) bool {
	return slices.ContainsFunc(spec.Nodes(), func(m state.Machine) bool { return m.Name == name })
}

func (t Target) isCommitted() bool { return t.Removal != nil && t.Removal.Committed }

// isStopped reports whether nothing runs on the node's machine any more, so that nothing can be evicted from it.
func (t Target) isStopped() bool {
	return t.Node.Node == nil || !t.Node.Node.Ready && (t.Machine == nil || t.Machine.State != "running")
}

// newRecord returns what the facts hold of the removal: what an earlier run has begun, and what this one knows.
func (t Target) newRecord() state.NodeRemoval {
	removal := state.NodeRemoval{Node: t.Name, Role: t.Role}
	if t.Removal != nil {
		removal = *t.Removal
	}
	if t.Machine != nil {
		removal.MachineID, removal.Address = t.Machine.ID, t.Machine.Address
	}
	if t.Replacement != nil {
		removal.ReplacedBy = t.Replacement.Name
	}
	return removal
}

// The order in which nodes are replaced.
const (
	rankEnding = iota // it only has to go
	rankBroken        // it is not ready
	rankReady
)

func (t Target) rank() int {
	switch {
	case t.isCommitted():
		return rankEnding
	case t.Node.Node == nil, !t.Node.Node.Ready:
		return rankBroken
	}
	return rankReady
}

func (t *Target) chooseReplacement(spec state.Spec, taken map[string]bool) {
	if group := spec.Group(t.Role); group.Pool {
		t.Replacement = &state.Machine{Name: newMember, Role: t.Role, MachineSpec: group}
		return
	}
	if t.Removal != nil && t.Removal.ReplacedBy != "" {
		for _, machine := range spec.Machines(t.Removal.Role) {
			if machine.Name == t.Removal.ReplacedBy {
				t.Replacement = &machine
			}
		}
	}
	if t.Replacement != nil || t.Answer == nil {
		return
	}
	next := *t.Answer
	for index := 0; taken[next.Name]; index++ {
		next.Name, next.Index = fmt.Sprintf("%s-%d", next.Role, index), index
	}
	taken[next.Name] = true
	t.Replacement = &next
}

// isAdded reports whether its replacement has to be made, or to be waited for.
func (t Target) isAdded() bool { return t.Replacement != nil && !t.isCommitted() }

// toChange returns what is done with a storage node, see ceph.Change.
func (t Target) toChange(isConfigured bool) ceph.Change {
	change := ceph.Change{Node: t.Name, IsCommitted: t.isCommitted(), IsConfigured: isConfigured}
	if t.Replacement != nil {
		change.Next = t.Replacement.Name
	}
	return change
}

// hasCeph reports whether data is kept on it.
func (t Target) hasCeph() bool {
	return t.Role == state.RoleStorage || t.Removal != nil && t.Removal.Role == state.RoleStorage
}
