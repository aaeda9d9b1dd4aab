package state

import (
	"slices"

	"exoshift/state/poolmember"
)

// ClusterNode is a node with what its removal depends on.
type ClusterNode struct {
	NodeStatus
	Cordoned      bool
	Version       string // of its kubelet, e.g. "v1.33.5"
	Config        string // its rendered machine configuration
	DesiredConfig string
	ConfigState   string // as the machine config daemon reports it: Done, Working or Degraded
}

// RouterNamespace has the routers of the cluster, and nothing else (inferred).
const RouterNamespace = "openshift-ingress"

// RouterLabel names the ingress controller of a router.
const RouterLabel = "ingresscontroller.operator.openshift.io/deployment-ingresscontroller"

// Pod is a pod as far as its eviction depends on it.
type Pod struct {
	Namespace, Name, UID string
	Labels               map[string]string
	Owner                string // its controller as "<kind>/<name>"; "" for a pod that nobody makes again
	Mirror               bool   // of a static pod, which the API cannot end
	Finished             bool
	Ready                bool
	EmptyDir             bool // it keeps data in the node's own storage, which ends with it
	Ending               bool // it was deleted, and has not ended yet
}

// ID returns the namespace and the name.
func (p Pod) ID() string { return p.Namespace + "/" + p.Name }

// DisruptionBudget says how many pods of an application may be evicted at once.
type DisruptionBudget struct {
	Namespace, Name string
	Allowed         int // evictions that it permits now
	// Selects reports whether it is about the pod.
	Selects func(Pod) bool
}

// EvictionBlockedError is the refusal of an eviction by a disruption budget, which may permit it later.
type EvictionBlockedError struct {
	Pod     string // its namespace and name
	Message string // the API's
}

func (e *EvictionBlockedError) Error() string { return e.Pod + ": " + e.Message }

// NodeRemoval is a removal of a node that a run has begun and no run has ended. What it has set in the cluster is recorded before it is set.
type NodeRemoval struct {
	Node      string `json:"node"`
	Role      Role   `json:"role"`
	MachineID string `json:"machineId,omitzero"`
	Address   string `json:"address,omitzero"`
	Cordoned  bool   `json:"cordoned,omitzero"`  // by the removal: undone if it is given up
	Committed bool   `json:"committed,omitzero"` // the answers do not have it any more: the removal can only be ended
	// ReplacedBy is the node that takes its place, which the answers have instead of it; "": none does.
	ReplacedBy string `json:"replacedBy,omitzero"`
	MemberID   string `json:"memberId,omitzero"` // of a master: the member of etcd that its former machine has
	Type       string `json:"type,omitzero"`     // of a master: the instance type that its machine is getting; "": another machine takes its place
	// Members are the IDs of the instance pool's machines before it was asked to evict this one; nil: it has not been asked.
	Members []string `json:"members,omitzero"`
}

// FindRemoval returns the removal of a node that was begun; nil: there is none.
func (f Facts) FindRemoval(node string) *NodeRemoval {
	for i := range f.Removals {
		if f.Removals[i].Node == node {
			return &f.Removals[i]
		}
	}
	return nil
}

// SetRemoval keeps a removal in the place of an earlier one of the same node.
func (f *Facts) SetRemoval(removal NodeRemoval) {
	f.DropRemoval(removal.Node)
	f.Removals = append(f.Removals, removal)
}

// DropRemoval forgets the removal of a node.
func (f *Facts) DropRemoval(node string) {
	f.Removals = slices.DeleteFunc(slices.Clone(f.Removals), func(removal NodeRemoval) bool { return removal.Node == node })
}

// WithoutNode returns the answers without one machine of a group: its count is lowered, and the other machines keep their names. The
// index of a pool's member is its place among the machines of these answers.
func (s Spec) WithoutNode(role Role, index int) Spec {
	if machines := s.Machines(role); s.findMachineSpec(role).Pool {
		s.Members = s.Members.Without(role, machines[index].Name)
		return s.WithCount(role, len(machines)-1)
	}
	left := slices.DeleteFunc(s.listIndices(role), func(i int) bool { return i == index })
	s = s.WithCount(role, len(left))
	s.Indices = s.replaceIndices(role, left)
	return s
}

// WithNode returns the answers with one more machine of a group, of that index; a pool has no choice of it.
func (s Spec) WithNode(role Role, index int) Spec {
	if s.findMachineSpec(role).Pool {
		return s.WithCount(role, len(s.Machines(role))+1)
	}
	all := append(s.listIndices(role), index)
	slices.Sort(all)
	s = s.WithCount(role, len(all))
	s.Indices = s.replaceIndices(role, all)
	return s
}

// WithFacts returns the answers with what the names of the machines follow from beside them.
func (s Spec) WithFacts(facts Facts) Spec {
	s.Indices, s.Members = facts.NodeIndices, poolmember.New(facts.PoolMembers)
	return s
}

// replaceIndices leaves out groups without gaps, as their count says it all.
func (s Spec) replaceIndices(role Role, left []int) map[Role][]int {
	all := map[Role][]int{}
	for other, indices := range s.Indices {
		if other != role {
			all[other] = indices
		}
	}
	for i, index := range left {
		if i != index {
			all[role] = left
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// listIndices returns the indices of a group's machines: those that are known, the lowest free ones for machines beyond them,
// and of too many the lowest.
func (s Spec) listIndices(role Role) []int {
	count := max(s.findMachineSpec(role).Count, 0)
	known := slices.Sorted(slices.Values(s.Indices[role]))
	known = known[:min(len(known), count)]
	indices := slices.Clone(known)
	for index := 0; len(indices) < count; index++ {
		if _, taken := slices.BinarySearch(known, index); !taken {
			indices = append(indices, index)
		}
	}
	slices.Sort(indices)
	return indices
}

// WithCount returns the answers with another number of machines of a group of nodes that are no masters.
func (s Spec) WithCount(role Role, count int) Spec {
	return s.WithGroup(role, func(group *MachineSpec) { group.Count = count })
}

// WithGroup returns the answers with a change of the machines of a group of nodes.
func (s Spec) WithGroup(role Role, change func(*MachineSpec)) Spec {
	switch role {
	case RoleMaster:
		change(&s.Sizing.ControlPlane)
	case RoleInfra:
		change(&s.Sizing.Infra)
	case RoleStorage:
		change(&s.Sizing.Storage)
	case RoleWorker:
		change(&s.Sizing.Workers)
	default:
		s.Sizing.ExtraGroups = slices.Clone(s.Sizing.ExtraGroups)
		for i := range s.Sizing.ExtraGroups {
			if s.Sizing.ExtraGroups[i].Name == string(role) {
				change(&s.Sizing.ExtraGroups[i].MachineSpec)
			}
		}
	}
	return s
}

// FormatGroup returns the group of a role as the answers call it.
func FormatGroup(role Role) string {
	switch role {
	case RoleLoadBalancer:
		return "loadBalancers"
	case RoleMaster:
		return "controlPlane"
	case RoleWorker:
		return "workers"
	}
	return string(role)
}
