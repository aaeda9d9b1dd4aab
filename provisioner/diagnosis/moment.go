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

// moment is the signs of one moment, arranged for looking things up.
type moment struct {
	Signs
	moved time.Time // when anything went on the last time
	heard time.Time // when a machine was heard of for the first time, the last time that happened

	wanted   []state.Machine // that become nodes
	machines map[string]state.Instance
	nodes    map[string]state.NodeStatus
	asked    map[string]bool // names for which certificates were asked for
	masters  gathering
	others   gathering // all other nodes
}

func newMoment(s Signs) *moment {
	s.Closed = slices.Compact(slices.Sorted(slices.Values(s.Closed))) // IPv4 and IPv6 have a rule each
	m := &moment{
		Signs: s, wanted: s.Spec.Nodes(), machines: make(map[string]state.Instance, len(s.Machines)),
		nodes: make(map[string]state.NodeStatus, len(s.Seen.Nodes)), asked: make(map[string]bool, len(s.Seen.Nodes)),
	}
	for _, machine := range s.Machines {
		m.machines[machine.Name] = machine
	}
	for _, node := range s.Seen.Nodes {
		m.nodes[node.Name] = node
	}
	for _, request := range s.Seen.Requests {
		m.asked[request.Node] = true
	}
	for _, wanted := range m.wanted {
		machine, exists := m.machines[wanted.Name]
		kind := &m.others
		if wanted.Role == state.RoleMaster {
			kind = &m.masters
		}
		kind.add(machine, exists, m.known(wanted.Name))
	}
	return m
}

// has tells whether a phase was reached. That the bootstrap machine was removed is known before anything answers.
func (m *moment) has(phase string) bool {
	_, began := m.Began[phase]
	removed := !m.Facts.BootstrapRemoved.IsZero() && slices.Index(state.Phases(), phase) <= slices.Index(state.Phases(), state.PhaseMemberRemoved)
	return began || removed || m.Seen.Bootstrap.Has(phase)
}

// past tells whether a phase was reached at least that long ago.
func (m *moment) past(phase string, age time.Duration) bool {
	began, reached := m.Began[phase]
	return reached && m.Now.Sub(began) >= age
}

// age says how long ago a phase was reached.
func (m *moment) age(phase string) string { return span(m.Now.Sub(m.Began[phase])) }

// still tells whether nothing has gone on for that long.
func (m *moment) still(long time.Duration) bool { return m.Now.Sub(m.moved) >= long }

// known tells whether anything was ever heard of a machine: its node registered, or asked for a certificate.
func (m *moment) known(name string) bool {
	_, registered := m.nodes[name]
	return registered || m.asked[name]
}

// gathering is how far the machines of a kind have come.
type gathering struct {
	silent []state.Instance // exist, and were never heard of
	heard  int              // were heard of
}

func (g *gathering) add(machine state.Instance, exists, known bool) {
	switch {
	case known:
		g.heard++
	case exists:
		g.silent = append(g.silent, machine)
	}
}

func (m *moment) isMaster(name string) bool {
	return slices.ContainsFunc(m.Spec.Machines(state.RoleMaster), func(master state.Machine) bool { return master.Name == name })
}

// fill puts into a text what it is about: {subject}, {domain}, {apps}, {zone}, {cluster}, {template}, {release}, {folder}.
func (m *moment) fill(text string, subject []string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return strings.NewReplacer(
		"{subject}", few(subject), "{domain}", m.Spec.Domain(), "{apps}", m.Spec.AppsDomain(), "{zone}", m.Spec.Exoscale.Zone,
		"{cluster}", m.Spec.Cluster.ID, "{template}", m.Facts.Template, "{release}", m.Facts.ReleaseImage, "{folder}", shellescape.Quote(m.Folder),
	).Replace(text)
}

// enter returns the command that opens a shell on a machine: only load balancers can be reached from everywhere.
func (m *moment) enter(machine state.Instance) string {
	for _, other := range m.Machines {
		if other.Labels[state.LabelRole] == string(state.RoleLoadBalancer) && other.Address != "" {
			return fmt.Sprintf("ssh -J ubuntu@%s core@%s", other.Address, machine.Address)
		}
	}
	return "ssh core@" + machine.Address
}

func namesOf(machines []state.Instance) []string {
	names := make([]string, len(machines))
	for n, machine := range machines {
		names[n] = machine.Name
	}
	return names
}

// enough is how many of a kind a person reads.
const enough = 8

// few lists names, but no more than a person reads.
func few(names []string) string {
	if len(names) <= enough {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
}

// fewLines returns the first lines, and how many there are beyond them.
func fewLines(lines []string) []string {
	if len(lines) <= enough {
		return lines
	}
	return append(slices.Clone(lines[:enough]), fmt.Sprintf("and %d more", len(lines)-enough))
}

// short cuts the middle out of a line that is longer than a person reads: it ends with the cause.
func short(line string) string {
	const head, tail = 160, 140
	if runes := []rune(line); len(runes) > head+tail {
		return string(runes[:head]) + " ... " + string(runes[len(runes)-tail:])
	}
	return line
}

// span says a duration as people do.
func span(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%d seconds", int(d.Seconds()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// said is what a probe found, for evidence.
func said(way string, probe state.Probe) string {
	if probe.OK {
		return fmt.Sprintf("%s: %s answers", way, probe.Target)
	}
	return fmt.Sprintf("%s: %s does not answer: %s", way, probe.Target, cmp.Or(probe.Detail, probe.Layer))
}

// failed tells whether something was tried and did not answer.
func failed(probe state.Probe) bool { return probe.Target != "" && !probe.OK }
