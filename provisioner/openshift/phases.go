package openshift

import (
	"cmp"
	"fmt"
	"strings"

	"exoshift/state"
)

// enoughMasters is on how many masters the bootstrap machine wants to see the control plane before it gives way.
const enoughMasters = 2

// phases returns the phases that the evidence itself shows.
func (e evidence) phases() []string {
	var shown []string
	for _, signal := range []struct {
		phase string
		seen  bool
	}{
		{state.PhaseManifests, e.version},
		{state.PhaseMasters, e.masters > 0},
		{state.PhaseEtcd, e.members.total > 1},
		{state.PhaseControlPlane, e.controlPlaneRuns()},
		{state.PhaseBootstrapped, e.succeeded},
		{state.PhaseTeardown, e.tornDown},
		{state.PhaseEtcdInCluster, e.etcd.is(runningInCluster)},
		{state.PhaseComplete, e.bootstrapped},
		{state.PhaseMemberRemoved, e.etcd.is(bootstrapMemberRemoved)},
	} {
		if signal.seen {
			shown = append(shown, signal.phase)
		}
	}
	return shown
}

func (e evidence) controlPlaneRuns() bool {
	for _, component := range controlPlane() {
		if e.revisions[component.name] < enoughMasters {
			return false
		}
	}
	return true
}

// impliedBy returns the phases that must have been before one was reached. Signals get lost (events expire, a run is
// resumed), but these orders are fixed; etcd and the control plane grow side by side.
func impliedBy(phase string) []string {
	switch phase {
	case state.PhaseTemporaryAPI:
		return []string{state.PhaseMachine}
	case state.PhaseManifests:
		return []string{state.PhaseTemporaryAPI}
	case state.PhaseMasters:
		return []string{state.PhaseTemporaryAPI}
	case state.PhaseEtcd, state.PhaseControlPlane:
		return []string{state.PhaseManifests, state.PhaseMasters}
	case state.PhaseBootstrapped:
		return []string{state.PhaseControlPlane}
	case state.PhaseTeardown:
		return []string{state.PhaseBootstrapped}
	case state.PhaseEtcdInCluster:
		return []string{state.PhaseEtcd}
	case state.PhaseComplete:
		return []string{state.PhaseTeardown, state.PhaseEtcdInCluster}
	case state.PhaseMemberRemoved:
		return []string{state.PhaseComplete}
	}
	return nil
}

// waiting says what a phase waits for.
func (e evidence) waiting(phase string) string {
	switch phase {
	case state.PhaseMachine, state.PhaseTemporaryAPI:
		return "the API answered; waiting for it to answer again"
	case state.PhaseManifests:
		return "waiting for the cluster version operator's first object"
	case state.PhaseMasters:
		return "no master has registered yet"
	case state.PhaseEtcd:
		return "etcd: " + cmp.Or(e.etcd.find(membersAvailable).Message, "the operator has not reported any member yet")
	case state.PhaseControlPlane:
		return e.missingControlPlane()
	case state.PhaseBootstrapped:
		return "waiting for the bootstrap machine to see the control plane's pods"
	case state.PhaseTeardown:
		return "waiting for the remaining manifests to be applied"
	case state.PhaseEtcdInCluster:
		return "etcd: " + cmp.Or(e.etcd.find(runningInCluster).Message, e.etcd.find(membersAvailable).Message)
	case state.PhaseComplete:
		return "waiting for the bootstrap machine to report completion"
	case state.PhaseMemberRemoved:
		return "waiting for etcd to drop the bootstrap member: " + e.etcd.find(membersAvailable).Message
	}
	return ""
}

func (e evidence) missingControlPlane() string {
	var missing []string
	for _, component := range controlPlane() {
		if count := e.revisions[component.name]; count < enoughMasters {
			missing = append(missing, fmt.Sprintf("%s on %d", component.name, count))
		}
	}
	return fmt.Sprintf("waiting for %d masters to run the control plane: %s", enoughMasters, strings.Join(missing, ", "))
}
