// Package etcd names etcd's members and their states by what the cluster-etcd-operator reports.
package etcd

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/operators"
	"exoshift/state"

	corev1 "k8s.io/api/core/v1"
)

// Observation is what one poll found about etcd.
type Observation struct {
	Operator  operators.StaticPodOperator // etcds.operator.openshift.io/cluster
	Endpoints map[string]string           // addresses of voting members, by member IDs or node names
	Events    []corev1.Event              // of the operator
	Nodes     []corev1.Node               // of the cluster
	Expected  []state.ExpectedNode        // of the installation
	Complete  bool                        // the bootstrap machine has reported completion
}

// Status names etcd's members, with their states, and why the bootstrap machine's still exists.
func (o Observation) Status() state.EtcdStatus {
	reported := o.Operator.Status.Conditions
	status := state.EtcdStatus{
		InCluster:        reported.Is(RunningInCluster),
		BootstrapRemoved: reported.Is(BootstrapMemberRemoved),
		Message:          reported.Find(membersAvailable).Message,
		Revision:         o.Operator.Status.LatestAvailable,
		Voters:           o.Endpoints,
	}
	counted, known := parseMembership(status.Message)
	if known {
		hints := o.collectHints()
		status.Members = hints.listMembers(counted, status.BootstrapRemoved)
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
func listDegradedConditions(reported kubeapi.Conditions, members int) []string {
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

func (o Observation) collectHints() *memberHints {
	hints := &memberHints{nodeOf: map[string]string{}, voting: map[string]bool{}, added: map[string]bool{}}
	for _, node := range o.Nodes {
		if _, master := node.Labels[kubeapi.MasterLabel]; !master {
			continue
		}
		hints.addMaster(node.Name)
		for _, address := range node.Status.Addresses {
			hints.nodeOf[address.Address] = node.Name
		}
	}
	for _, node := range o.Operator.Status.NodeStatuses {
		hints.addMaster(node.NodeName)
	}
	// The keys are member IDs or node names, so only the values are usable.
	for _, address := range o.Endpoints {
		hints.voting[hints.resolveNode(address)] = true
	}
	for _, event := range o.Events {
		hints.addEvent(event)
	}
	return hints
}

// addEvent parses an event of the operator: "successfully added new member https://192.0.2.1:2380", "successfully promoted
// learner member https://192.0.2.1:2380".
func (h *memberHints) addEvent(event corev1.Event) {
	node := h.resolveNode(parsePeer(event.Message))
	switch {
	case node == "" || !strings.HasPrefix(event.Message, "successfully "):
	case event.Reason == "MemberAddAsLearner":
		h.added[node] = true
	case event.Reason == "MemberPromote":
		h.added[node], h.voting[node] = true, true
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
		return "no member yet on " + kubeapi.FormatNames(missing)
	}
	if faults := describeUnreadyMembers(status.Members); faults != "" {
		return faults
	}
	switch {
	case !status.InCluster:
		return cmp.Or(o.Operator.Status.Conditions.Find(RunningInCluster).Message, "the operator has not confirmed etcd in the cluster yet")
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
	var lines []string
	for _, faults := range []struct{ state, sentence string }{
		{unhealthy, "unhealthy: "}, {notStarted, "not started: "}, {learner, "still learning: "},
	} {
		var names []string
		for _, member := range members {
			if member.State == faults.state && member.Name != bootstrapMember {
				names = append(names, member.Name)
			}
		}
		if len(names) > 0 {
			lines = append(lines, faults.sentence+kubeapi.FormatNames(names))
		}
	}
	return strings.Join(lines, "; ")
}

// bootstrapMember is etcd's name for the member on the bootstrap machine.
const bootstrapMember = "etcd-bootstrap"

// memberHints is what is known about etcd besides the operator's count: the operator names only members with problems.
type memberHints struct {
	names  []string          // masters, sorted
	nodeOf map[string]string // by address
	voting map[string]bool   // nodes with a voting member
	added  map[string]bool   // nodes whose member was added
}

func (h *memberHints) addMaster(name string) {
	if i, found := slices.BinarySearch(h.names, name); !found {
		h.names = slices.Insert(h.names, i, name)
	}
}

// resolveNode returns names and unknown addresses unchanged. A member that has not started has no name yet, the operator then
// writes NAME-PENDING-<address>.
func (h *memberHints) resolveNode(nameOrAddress string) string {
	nameOrAddress = strings.TrimPrefix(nameOrAddress, "NAME-PENDING-")
	if name, found := h.nodeOf[nameOrAddress]; found {
		return name
	}
	return nameOrAddress
}

func (h *memberHints) listMembers(counted membership, bootstrapRemoved bool) []state.EtcdMember {
	troubled := map[string]string{}
	for _, member := range counted.unavailable {
		troubled[h.resolveNode(member.name)] = member.state
	}
	candidates := h.listCandidates(troubled)
	places := counted.total
	withBootstrap := !bootstrapRemoved && places > 0 && h.hasBootstrapMember(candidates, counted, troubled)
	if withBootstrap {
		places--
	}
	candidates = candidates[:min(places, len(candidates))]
	slices.Sort(candidates)
	for len(candidates) < places {
		candidates = append(candidates, "unknown")
	}
	if withBootstrap {
		candidates = slices.Insert(candidates, 0, bootstrapMember)
	}
	members := make([]state.EtcdMember, len(candidates))
	for i, name := range candidates {
		members[i] = state.EtcdMember{Name: name, State: h.resolveState(name, troubled)}
	}
	return members
}

// hasBootstrapMember reports whether the bootstrap member is among those counted: it is, unless it has just been removed and as
// many masters are certainly members as were counted.
func (h *memberHints) hasBootstrapMember(candidates []string, counted membership, troubled map[string]string) bool {
	if _, named := troubled[bootstrapMember]; named {
		return true
	}
	certain := 0
	for _, name := range candidates {
		if h.rank(name, troubled) >= certainMember {
			certain++
		}
	}
	return certain < counted.total
}

func (h *memberHints) listCandidates(troubled map[string]string) []string {
	names := slices.Clone(h.names)
	for name := range troubled {
		if name != bootstrapMember && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	stable.Sort(names, func(a, b string) int {
		return h.rank(b, troubled) - h.rank(a, troubled)
	})
	return names
}

const (
	possibleMember = iota
	addedMember
	certainMember
)

func (h *memberHints) rank(name string, troubled map[string]string) int {
	switch {
	case h.voting[name] || troubled[name] != "":
		return certainMember
	case h.added[name]:
		return addedMember
	}
	return possibleMember
}

func (h *memberHints) resolveState(name string, troubled map[string]string) string {
	switch {
	case troubled[name] != "":
		return troubled[name]
	case h.voting[name], name == bootstrapMember:
		return voter
	}
	return learner
}
