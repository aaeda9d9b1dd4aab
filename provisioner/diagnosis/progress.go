package diagnosis

import (
	"time"

	"exoshift/state"
)

// progressTracker distinguishes slowness from a stall. A counter that decreases is no progress.
type progressTracker struct {
	counts       [kinds]int
	lastProgress time.Time
	lastOf       [kinds]time.Time     // progress of each kind
	silent       map[string]bool      // machines that were found to be silent, and are not known since
	stopped      map[string]time.Time // when machines were stopped last
	answered     bool                 // an API server has answered
}

// What is counted.
const (
	phases         = iota
	reachablePaths // access paths that answered
	members
	revisions
	knownMasters
	knownOthers
	registered
	readyMasters
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
		v.lastProgress, v.silent, v.stopped = m.Now, map[string]bool{}, map[string]time.Time{}
		for kind := range v.lastOf {
			v.lastOf[kind] = m.Now
		}
	}
	for kind, count := range countProgress(m) {
		if count <= v.counts[kind] {
			continue
		}
		v.counts[kind], v.lastProgress, v.lastOf[kind] = count, m.Now, m.Now
	}
	v.answered = v.answered || isAnsweringTLS(m.Snapshot.Probes.API) || isAnsweringTLS(m.Snapshot.Probes.Direct)
	m.lastProgress, m.silent, m.hasAnswered = v.lastProgress, v.silent, v.answered
	for _, kind := range []int{members, revisions, knownMasters, readyMasters} {
		if v.lastOf[kind].After(m.lastEtcd) {
			m.lastEtcd = v.lastOf[kind]
		}
	}
	v.trackSilence(m, m.masters, v.lastOf[knownMasters])
	v.trackSilence(m, m.others, v.lastOf[knownOthers])
}

// If no new machine of a kind became known for this long, the rest of them counts as silent. A machine that installs its system
// is silent for up to ten minutes.
const contactTimeout = 12 * time.Minute

// trackSilence keeps a machine silent until it is known itself: that others make contact later says nothing about it. One that was
// stopped begins anew when it is started.
func (v *progressTracker) trackSilence(m *inputIndex, kind roleStatus, lastContact time.Time) {
	timeout := m.adaptToPace(contactTimeout)
	for _, machine := range kind.missing {
		if machine.State == stopped {
			v.stopped[machine.Name] = m.Now
			delete(v.silent, machine.Name)
		}
		isYoung := !machine.Created.IsZero() && m.Now.Sub(machine.Created) < timeout || m.Now.Sub(v.stopped[machine.Name]) < timeout
		if kind.known > 0 && m.Now.Sub(lastContact) >= timeout && !isYoung {
			v.silent[machine.Name] = true
		}
	}
}

// isAnsweringTLS reports whether an API server answered, be it with a certificate that is not the cluster's. What answers by
// another name may be a proxy.
func isAnsweringTLS(probe state.Probe) bool {
	return probe.OK || hasFailed(probe) && probe.Layer == state.LayerTLS && containsAny(probe.Detail, "expired", "another cluster")
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
		node, exists := m.nodes[wanted.Name]
		if wanted.Role == state.RoleMaster {
			counts[knownMasters] += toInt(m.isKnown(wanted.Name))
			counts[readyMasters] += toInt(node.Ready)
		} else {
			counts[knownOthers] += toInt(m.isKnown(wanted.Name))
		}
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
	seen := map[string]bool{}
	for _, line := range lines {
		seen[line.Unit] = true
	}
	return len(seen)
}

func toInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
