package diagnosis

import (
	"time"

	"exoshift/state"
)

// movement notes how far everything has come, to tell slowness from a standstill. What falls back is no movement.
type movement struct {
	counts [kinds]int
	moved  time.Time
	heard  time.Time
}

// What is counted.
const (
	phases = iota
	doors  // ways to the cluster that answered
	members
	revisions
	heardOf
	registered
	ready
	percent
	operators
	stages
	units // of the bootstrap machine's journal
	kinds
)

// note compares a moment with everything before it, and tells the moment when something went on the last time.
func (v *movement) note(m *moment) {
	if v.moved.IsZero() {
		v.moved, v.heard = m.Now, m.Now
	}
	for kind, count := range progress(m) {
		if count <= v.counts[kind] {
			continue
		}
		v.counts[kind], v.moved = count, m.Now
		if kind == heardOf {
			v.heard = m.Now
		}
	}
	m.moved, m.heard = v.moved, v.heard
}

func progress(m *moment) [kinds]int {
	var counts [kinds]int
	counts[phases] = len(m.Seen.Bootstrap.Reached)
	for _, probe := range []state.Probe{m.Seen.Probes.SSH, m.Seen.Probes.Direct, m.Seen.Probes.API} {
		counts[doors] += one(probe.OK)
	}
	for _, member := range m.Seen.Etcd.Members {
		counts[members] += 1 + one(member.State == "voter")
	}
	counts[revisions] = m.Seen.Etcd.Revision
	for _, wanted := range m.wanted {
		counts[heardOf] += one(m.known(wanted.Name))
		node, exists := m.nodes[wanted.Name]
		counts[registered] += one(exists)
		counts[ready] += one(node.Ready)
	}
	counts[percent] = m.Seen.Version.Percent
	for _, operator := range m.Seen.Operators {
		counts[operators] += one(operator.Stable)
	}
	if m.Inside != nil {
		for _, service := range m.Inside.Services {
			counts[stages] += len(service.Finished) + one(service.Done)
		}
		counts[units] = speakers(m.Inside.Lines)
	}
	return counts
}

// speakers counts the units that have journaled anything: one follows the other, and who cannot log in sees nothing else.
func speakers(lines []state.JournalLine) int {
	heard := map[string]bool{}
	for _, line := range lines {
		heard[line.Unit] = true
	}
	return len(heard)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
