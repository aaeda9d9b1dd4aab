package diagnosis

import (
	"time"

	"exoshift/state"
)

// progressTracker distinguishes slowness from a stall. A counter that decreases is no progress.
type progressTracker struct {
	counts       [kinds]int
	lastProgress time.Time
	lastContact  time.Time
}

// What is counted.
const (
	phases         = iota
	reachablePaths // access paths that answered
	members
	revisions
	knownMachines
	registered
	ready
	percent
	operators
	stages
	units // of the bootstrap machine's journal
	kinds
)

// track returns the time of the newest progress.
func (v *progressTracker) track(m *inputIndex) {
	if v.lastProgress.IsZero() {
		v.lastProgress, v.lastContact = m.Now, m.Now
	}
	for kind, count := range countProgress(m) {
		if count <= v.counts[kind] {
			continue
		}
		v.counts[kind], v.lastProgress = count, m.Now
		if kind == knownMachines {
			v.lastContact = m.Now
		}
	}
	m.lastProgress, m.lastContact = v.lastProgress, v.lastContact
}

func countProgress(m *inputIndex) [kinds]int {
	var counts [kinds]int
	counts[phases] = len(m.Snapshot.Bootstrap.Reached)
	for _, probe := range []state.Probe{m.Snapshot.Probes.SSH, m.Snapshot.Probes.Direct, m.Snapshot.Probes.API} {
		counts[reachablePaths] += toInt(probe.OK)
	}
	for _, member := range m.Snapshot.Etcd.Members {
		counts[members] += 1 + toInt(member.State == "voter")
	}
	counts[revisions] = m.Snapshot.Etcd.Revision
	for _, wanted := range m.wanted {
		counts[knownMachines] += toInt(m.isKnown(wanted.Name))
		node, exists := m.nodes[wanted.Name]
		counts[registered] += toInt(exists)
		counts[ready] += toInt(node.Ready)
	}
	counts[percent] = m.Snapshot.Version.Percent
	for _, operator := range m.Snapshot.Operators {
		counts[operators] += toInt(operator.Stable)
	}
	if m.BootstrapHost != nil {
		for _, service := range m.BootstrapHost.Services {
			counts[stages] += len(service.Finished) + toInt(service.Done)
		}
		counts[units] = countUnits(m.BootstrapHost.Lines)
	}
	return counts
}

// Units that have journaled anything: they run one after another, and without a login nothing else is visible.
func countUnits(lines []state.JournalLine) int {
	heard := map[string]bool{}
	for _, line := range lines {
		heard[line.Unit] = true
	}
	return len(heard)
}

func toInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
