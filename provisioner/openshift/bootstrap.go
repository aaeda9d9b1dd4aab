package openshift

import "exoshift/state"

func (c *Cluster) has(phase string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.history.reached[phase]
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
