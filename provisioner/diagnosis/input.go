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

// inputIndex is the signs of one moment, arranged for looking things up.
type inputIndex struct {
	Input
	lastProgress time.Time // when anything went on the last time
	lastContact  time.Time // when a machine was heard of for the first time, the last time that happened

	wanted    []state.Machine // that become nodes
	machines  map[string]state.Instance
	nodes     map[string]state.NodeStatus
	requested map[string]bool // names for which certificates were asked for
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

// hasReached tells whether a phase was reached. That the bootstrap machine was removed is known before anything answers.
func (m *inputIndex) hasReached(phase string) bool {
	_, began := m.PhaseTimes[phase]
	removed := !m.Facts.BootstrapRemoved.IsZero() && slices.Index(state.ListPhases(), phase) <= slices.Index(state.ListPhases(), state.PhaseMemberRemoved)
	return began || removed || m.Snapshot.Bootstrap.Has(phase)
}

// hasReachedFor tells whether a phase was reached at least that long ago.
func (m *inputIndex) hasReachedFor(phase string, age time.Duration) bool {
	began, reached := m.PhaseTimes[phase]
	return reached && m.Now.Sub(began) >= age
}

// formatAge says how long ago a phase was reached.
func (m *inputIndex) formatAge(phase string) string {
	return formatDuration(m.Now.Sub(m.PhaseTimes[phase]))
}

// isStalled tells whether nothing has gone on for that long.
func (m *inputIndex) isStalled(long time.Duration) bool { return m.Now.Sub(m.lastProgress) >= long }

// isKnown tells whether anything was ever heard of a machine: its node registered, or asked for a certificate.
func (m *inputIndex) isKnown(name string) bool {
	_, registered := m.nodes[name]
	return registered || m.requested[name]
}

// roleStatus is how far the machines of a kind have come.
type roleStatus struct {
	missing []state.Instance // exist, and were never heard of
	known   int              // were heard of
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

// expand puts into a text what it is about: {subject}, {domain}, {apps}, {zone}, {cluster}, {template}, {release}, {folder}.
func (m *inputIndex) expand(text string, subject []string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.NewReplacer(
		"{subject}", joinLimited(subject), "{domain}", m.Spec.Domain(), "{apps}", m.Spec.AppsDomain(), "{zone}", m.Spec.Exoscale.Zone,
		"{cluster}", m.Spec.Cluster.ID, "{template}", m.Facts.Template, "{release}", m.Facts.ReleaseImage, "{folder}", shellescape.Quote(m.Folder),
	).Replace(text)
}

// formatSSHCommand returns the command that opens a shell on a machine: only load balancers can be reached from everywhere.
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

// maxListed is how many of a kind a person reads.
const maxListed = 8

// joinLimited lists names, but no more than a person reads.
func joinLimited(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}

// limitLines returns the first lines, and how many there are beyond them.
func limitLines(lines []string) []string {
	if len(lines) <= maxListed {
		return lines
	}
	return append(slices.Clone(lines[:maxListed]), fmt.Sprintf("and %d more", len(lines)-maxListed))
}

// truncateLine cuts the middle out of a line that is longer than a person reads: it ends with the cause.
func truncateLine(line string) string {
	const head, tail = 160, 140
	if runes := []rune(line); len(runes) > head+tail {
		return string(runes[:head]) + " ... " + string(runes[len(runes)-tail:])
	}
	return line
}

// formatDuration says a duration as people do.
func formatDuration(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// formatProbe is what a probe found, for evidence.
func formatProbe(way string, probe state.Probe) string {
	if probe.OK {
		return fmt.Sprintf("%s: %s answers", way, probe.Target)
	}
	return fmt.Sprintf("%s: %s does not answer: %s", way, probe.Target, cmp.Or(probe.Detail, probe.Layer))
}

// hasFailed tells whether something was tried and did not answer.
func hasFailed(probe state.Probe) bool { return probe.Target != "" && !probe.OK }
