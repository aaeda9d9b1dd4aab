package observe

import (
	"exoshift/provisioner/openshift/operators"
	"exoshift/state"
)

type history struct {
	reached   map[string]bool // phases
	answers   int             // of the API, consecutive
	operators *operators.Tracker
}

func newHistory() history {
	return history{reached: map[string]bool{}, operators: operators.NewTracker()}
}

// markReached also marks the phases that must precede it.
func (m *history) markReached(phase string) {
	if m.reached[phase] {
		return
	}
	m.reached[phase] = true
	for _, earlier := range listImpliedPhases(phase) {
		m.markReached(earlier)
	}
}

// minAnswers is how many consecutive times the temporary API must be ready before that counts: it flaps while its pods restart.
const minAnswers = 2

func (m *history) count(answered bool) {
	m.answers++
	if !answered {
		m.answers = 0
	}
	if m.answers >= minAnswers {
		m.markReached(state.PhaseTemporaryAPI)
	}
}

// updateBootstrap keeps phases that were reached, also when the API does not answer.
func (m *history) updateBootstrap(seen snapshot) state.BootstrapStatus {
	for _, phase := range seen.listPhases() {
		m.markReached(phase)
	}
	var status state.BootstrapStatus
	for _, phase := range state.ListPhases() {
		switch {
		case m.reached[phase]:
			status.Reached = append(status.Reached, phase)
		case status.Waiting == "" && seen.failure != nil:
			status.Waiting = seen.describeFailure()
		case status.Waiting == "":
			status.Waiting = seen.describeWaiting(phase)
		}
	}
	return status
}

func (e snapshot) describeFailure() string {
	why := e.probes.API.Detail
	switch {
	case e.probes.API.OK || e.probes.API.Target == "":
		return e.failure.Error()
	case e.probes.Direct.OK:
		return "the API on the bootstrap machine answers, but not by its name: " + why
	case e.probes.SSH.OK:
		return "the bootstrap machine runs, its API does not answer: " + why
	}
	return "the API does not answer: " + why
}
