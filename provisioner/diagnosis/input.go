package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"exoshift/state"
)

type inputIndex struct {
	Input
	lastProgress time.Time // time of the newest progress
	lastEtcd     time.Time // of etcd: of its members, and of the masters that become members
	silent       map[string]bool
	hasAnswered  bool // an API server has answered
	isSlow       bool // slow progress is reported

	wanted    []state.Machine // that become nodes
	machines  map[string]state.Instance
	nodes     map[string]state.NodeStatus
	requested map[string]bool // names for which certificates were requested
	masters   roleStatus
	others    roleStatus // all other nodes
}

func newInputIndex(s Input) *inputIndex {
	s.MissingRules = slices.Compact(slices.Sorted(slices.Values(s.MissingRules))) // IPv4 and IPv6 have a rule each
	m := &inputIndex{
		Input: s, wanted: s.Spec.Nodes(), machines: make(map[string]state.Instance, len(s.Machines)),
		nodes: make(map[string]state.NodeStatus, len(s.Snapshot.Nodes)), requested: make(map[string]bool, len(s.Snapshot.Nodes)),
	}
	for _, machine := range s.Machines {
		m.machines[machine.Name] = machine
	}
	for _, node := range s.Snapshot.Nodes {
		m.nodes[node.Name] = node
	}
	for _, request := range s.Snapshot.Requests {
		m.requested[request.Node] = true
	}
	for _, wanted := range m.wanted {
		machine, exists := m.machines[wanted.Name]
		kind := &m.others
		if wanted.Role == state.RoleMaster {
			kind = &m.masters
		}
		kind.add(machine, exists, m.isKnown(wanted.Name))
	}
	return m
}

// That the bootstrap machine was removed is known before the API answers.
func (m *inputIndex) hasReached(phase string) bool {
	_, began := m.PhaseTimes[phase]
	removed := !m.Facts.BootstrapRemoved.IsZero() && slices.Index(state.ListPhases(), phase) <= slices.Index(state.ListPhases(), state.PhaseMemberRemoved)
	return began || removed || m.Snapshot.Bootstrap.Has(phase)
}

func (m *inputIndex) hasReachedFor(phase string, age time.Duration) bool {
	began, reached := m.PhaseTimes[phase]
	return reached && m.Now.Sub(began) >= age
}

func (m *inputIndex) formatAge(phase string) string {
	return formatDuration(m.Now.Sub(m.PhaseTimes[phase]))
}

// isStalled reports whether nothing went on for so long, at the pace of this installation.
func (m *inputIndex) isStalled(long time.Duration) bool {
	return m.Now.Sub(m.lastProgress) >= m.adaptToPace(long)
}

// A machine is known once its node registered or requested a certificate.
func (m *inputIndex) isKnown(name string) bool {
	_, registered := m.nodes[name]
	return registered || m.requested[name]
}

type roleStatus struct {
	missing []state.Instance // exist, and are not known
	known   int              // are known
}

func (g *roleStatus) add(machine state.Instance, exists, known bool) {
	switch {
	case known:
		g.known++
	case exists:
		g.missing = append(g.missing, machine)
	}
}

func (m *inputIndex) isMaster(name string) bool {
	return slices.ContainsFunc(m.Spec.Machines(state.RoleMaster), func(master state.Machine) bool { return master.Name == name })
}

// Placeholders: {subject}, {domain}, {apps}, {zone}, {cluster}, {template}, {release}, {folder}.
func (m *inputIndex) expand(text string, subject []string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.NewReplacer(
		"{subject}", joinLimited(subject), "{domain}", m.Spec.Domain(), "{apps}", m.Spec.AppsDomain(), "{zone}", m.Spec.Exoscale.Zone,
		"{cluster}", m.Spec.Cluster.ID, "{template}", m.Facts.Template, "{release}", m.Facts.ReleaseImage, "{folder}", shellescape.Quote(m.Folder),
	).Replace(text)
}

// Only load balancers accept SSH from everywhere, so the command jumps through one.
func (m *inputIndex) formatSSHCommand(machine state.Instance) string {
	for _, other := range m.Machines {
		if other.Labels[state.LabelRole] == string(state.RoleLoadBalancer) && other.Address != "" {
			return fmt.Sprintf("ssh -J ubuntu@%s core@%s", other.Address, machine.Address)
		}
	}
	return "ssh core@" + machine.Address
}

func collectNames(machines []state.Instance) []string {
	names := make([]string, len(machines))
	for n, machine := range machines {
		names[n] = machine.Name
	}
	return names
}

const maxListed = 8

func joinLimited(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}

func limitLines(lines []string) []string {
	if len(lines) <= maxListed {
		return lines
	}
	return append(slices.Clone(lines[:maxListed]), fmt.Sprintf("and %d more", len(lines)-maxListed))
}

// The middle is cut out, since such a line ends with the cause.
func truncateLine(line string) string {
	const head, tail = 160, 140
	if runes := []rune(line); len(runes) > head+tail {
		return string(runes[:head]) + " ... " + string(runes[len(runes)-tail:])
	}
	return line
}

func formatDuration(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

func formatProbe(way string, probe state.Probe) string {
	if probe.OK {
		return fmt.Sprintf("%s: %s answers", way, probe.Target)
	}
	return fmt.Sprintf("%s: %s does not answer: %s", way, probe.Target, cmp.Or(probe.Detail, probe.Layer))
}

func hasFailed(probe state.Probe) bool { return probe.Target != "" && !probe.OK }
