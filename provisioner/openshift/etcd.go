package openshift

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// Observation is what one poll found about etcd.
type Observation struct {
	Operator  operator             // etcds.operator.openshift.io/cluster
	Endpoints map[string]string    // addresses of voting members, by member IDs or node names
	Events    []corev1.Event       // of the operator
	Nodes     []corev1.Node        // of the cluster
	Expected  []state.ExpectedNode // of the installation
	Complete  bool                 // the bootstrap machine has reported completion
}

// Status names etcd's members, with their states, and why the bootstrap machine's still exists.
func (o Observation) Status() state.EtcdStatus {
	reported := o.Operator.Status.Conditions
	status := state.EtcdStatus{
		InCluster:        reported.is(runningInCluster),
		BootstrapRemoved: reported.is(bootstrapMemberRemoved),
		Message:          reported.find(membersAvailable).Message,
		Revision:         o.Operator.Status.LatestAvailable,
		Voters:           o.Endpoints,
	}
	counted, known := parseMembership(status.Message)
	if known {
		clues := o.collectHints()
		status.Members = clues.listMembers(counted, status.BootstrapRemoved)
		o.addRevisions(status.Members)
	}
	status.BlockedReason = o.describePendingRemoval(status)
	status.Degraded = listDegradedConditions(reported, len(status.Members))
	return status
}

func (o Observation) addRevisions(members []state.EtcdMember) {
	for _, node := range o.Operator.Status.NodeStatuses {
		for i := range members {
			if members[i].Name == node.NodeName {
				members[i].Revision = node.CurrentRevision
			}
		}
	}
}

// listDegradedConditions returns sorted types. That the operator finds no members is normal as long as there is only that of the
// bootstrap machine, which it does not count here.
func listDegradedConditions(reported conditions, members int) []string {
	var all []string
	for _, condition := range reported {
		normal := condition.Type == "EtcdEndpointsDegraded" && members <= 1
		if condition.Status == "True" && strings.HasSuffix(condition.Type, "Degraded") && !normal {
			all = append(all, condition.Type+": "+cmp.Or(condition.Message, condition.Reason))
		}
	}
	slices.Sort(all)
	return all
}

func (o Observation) collectHints() *etcdHints {
	clues := &etcdHints{nodeOf: map[string]string{}, voting: map[string]bool{}, added: map[string]bool{}}
	for _, node := range o.Nodes {
		if _, master := node.Labels[masterLabel]; !master {
			continue
		}
		clues.addMaster(node.Name)
		for _, address := range node.Status.Addresses {
			clues.nodeOf[address.Address] = node.Name
		}
	}
	for _, node := range o.Operator.Status.NodeStatuses {
		clues.addMaster(node.NodeName)
	}
	// The keys are member IDs or node names, so only the values are usable.
	for _, address := range o.Endpoints {
		clues.voting[clues.resolveNode(address)] = true
	}
	for _, event := range o.Events {
		clues.addEvent(event)
	}
	return clues
}

// addEvent parses an event of the operator: "successfully added new member https://192.0.2.1:2380", "successfully promoted
// learner member https://192.0.2.1:2380".
func (c *etcdHints) addEvent(event corev1.Event) {
	node := c.resolveNode(parsePeer(event.Message))
	switch {
	case node == "" || !strings.HasPrefix(event.Message, "successfully "):
	case event.Reason == "MemberAddAsLearner":
		c.added[node] = true
	case event.Reason == "MemberPromote":
		c.added[node], c.voting[node] = true, true
	}
}

func parsePeer(message string) string {
	for word := range strings.FieldsSeq(message) {
		word = strings.Trim(word, `"',.`)
		host, found := strings.CutPrefix(word, "https://")
		if !found {
			continue
		}
		if address, err := netip.ParseAddrPort(host); err == nil {
			return address.Addr().String()
		}
		return strings.TrimSuffix(host, ":2380")
	}
	return ""
}

// describePendingRemoval returns why the bootstrap member still exists, "" if it does not: the operator's conditions for removing
// the member, in the order in which they are met.
func (o Observation) describePendingRemoval(status state.EtcdStatus) string {
	if status.BootstrapRemoved || !slices.ContainsFunc(status.Members, isBootstrapMember) {
		return ""
	}
	if missing := o.listMissingMembers(status.Members); len(missing) > 0 {
		return "no member yet on " + formatNames(missing)
	}
	if trouble := describeUnreadyMembers(status.Members); trouble != "" {
		return trouble
	}
	switch {
	case !status.InCluster:
		return cmp.Or(o.Operator.Status.Conditions.find(runningInCluster).Message, "the operator has not found etcd whole in the cluster yet")
	case !o.Complete:
		return "the bootstrap machine has not reported completion yet"
	}
	return "the operator is about to remove it"
}

func isBootstrapMember(member state.EtcdMember) bool { return member.Name == bootstrapMember }

func (o Observation) listMissingMembers(members []state.EtcdMember) []string {
	var missing []string
	lacks := func(name string) {
		joined := slices.ContainsFunc(members, func(member state.EtcdMember) bool { return member.Name == name })
		if !joined && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	for _, node := range o.Expected {
		if node.Role == state.RoleMaster {
			lacks(node.Name)
		}
	}
	for _, node := range o.Operator.Status.NodeStatuses {
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
