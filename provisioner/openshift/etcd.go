package openshift

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

func (e snapshot) buildEtcdStatus(complete bool) state.EtcdStatus {
	reported := e.etcd.Status.Conditions
	status := state.EtcdStatus{
		InCluster:        reported.is(runningInCluster),
		BootstrapRemoved: reported.is(bootstrapMemberRemoved),
		Message:          reported.find(membersAvailable).Message,
		Revision:         e.etcd.Status.LatestAvailable,
		Voters:           e.endpoints.Data,
	}
	counted, known := parseMembership(status.Message)
	if known {
		clues := e.collectEtcdHints()
		status.Members = clues.listMembers(counted, status.BootstrapRemoved)
		e.addRevisions(status.Members)
	}
	status.BlockedReason = e.describePendingRemoval(status, complete)
	status.Degraded = listDegradedConditions(reported, len(status.Members))
	return status
}

func (e snapshot) addRevisions(members []state.EtcdMember) {
	for _, node := range e.etcd.Status.NodeStatuses {
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

func (e snapshot) collectEtcdHints() *etcdHints {
	clues := &etcdHints{nodeOf: map[string]string{}, voting: map[string]bool{}, added: map[string]bool{}}
	for _, node := range e.nodes {
		if _, master := node.Labels[masterLabel]; !master {
			continue
		}
		clues.addMaster(node.Name)
		for _, address := range node.Status.Addresses {
			clues.nodeOf[address.Address] = node.Name
		}
	}
	for _, node := range e.etcd.Status.NodeStatuses {
		clues.addMaster(node.NodeName)
	}
	// The keys are member IDs or node names, so only the values are usable.
	for _, address := range e.endpoints.Data {
		clues.voting[clues.resolveNode(address)] = true
	}
	for _, event := range e.etcdEvents {
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
