package openshift

import "exoshift/state"

func (c *Cluster) has(phase string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.memory.reached[phase]
}

// status notes what a look shows, and says how far the bootstrap is: phases that were reached stay reached, also when
// the API does not answer.
func (m *memory) status(seen evidence) state.BootstrapStatus {
	for _, phase := range seen.phases() {
		m.reach(phase)
	}
	var status state.BootstrapStatus
	for _, phase := range state.Phases() {
		switch {
		case m.reached[phase]:
			status.Reached = append(status.Reached, phase)
		case status.Waiting == "" && seen.failure != nil:
			status.Waiting = seen.unanswered()
		case status.Waiting == "":
			status.Waiting = seen.waiting(phase)
		}
	}
	return status
}

// unanswered says why nothing could be read, and what does answer.
func (e evidence) unanswered() string {
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
