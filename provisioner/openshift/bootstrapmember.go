package openshift

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/state"
)

// describePendingRemoval returns why the bootstrap member still exists, "" if it does not: the operator's conditions for removing
// the member, in the order in which they are met.
func (e snapshot) describePendingRemoval(status state.EtcdStatus, complete bool) string {
	if status.BootstrapRemoved || !slices.ContainsFunc(status.Members, isBootstrapMember) {
		return ""
	}
	if missing := e.listMissingMembers(status.Members); len(missing) > 0 {
		return "no member yet on " + formatNames(missing)
	}
	if trouble := describeUnreadyMembers(status.Members); trouble != "" {
		return trouble
	}
	switch {
	case !status.InCluster:
		return cmp.Or(e.etcd.Status.Conditions.find(runningInCluster).Message, "the operator has not found etcd whole in the cluster yet")
	case !complete && !e.complete:
		return "the bootstrap machine has not reported completion yet"
	}
	return "the operator is about to remove it"
}

func isBootstrapMember(member state.EtcdMember) bool { return member.Name == bootstrapMember }

func (e snapshot) listMissingMembers(members []state.EtcdMember) []string {
	var missing []string
	lacks := func(name string) {
		joined := slices.ContainsFunc(members, func(member state.EtcdMember) bool { return member.Name == name })
		if !joined && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	for _, node := range e.expected {
		if node.Role == state.RoleMaster {
			lacks(node.Name)
		}
	}
	for _, node := range e.etcd.Status.NodeStatuses {
		lacks(node.NodeName)
	}
	slices.Sort(missing)
	return missing
}

// describeUnreadyMembers ignores the bootstrap member, which may be unhealthy.
func describeUnreadyMembers(members []state.EtcdMember) string {
	var said []string
	for _, trouble := range []struct{ state, sentence string }{
		{unhealthy, "unhealthy: "}, {notStarted, "not started: "}, {learner, "still learning: "},
	} {
		var names []string
		for _, member := range members {
			if member.State == trouble.state && member.Name != bootstrapMember {
				names = append(names, member.Name)
			}
		}
		if len(names) > 0 {
			said = append(said, trouble.sentence+formatNames(names))
		}
	}
	return strings.Join(said, "; ")
}
