package handover

import (
	"exoshift/provisioner"
	"exoshift/state"
)

// Application is what an event says about an application of the cluster's catalog.
func Application(e provisioner.Event) state.ApplicationStatus {
	return state.ApplicationStatus{Name: e.Name, Sync: e.Sync, Health: e.State, Message: e.Reason}
}

// Synthesis is what the newest event of each application says about all of them. The agent and Argo CD are among them:
// they have no sync, and do not count.
func Synthesis(newest []provisioner.Event) state.Synthesis {
	var seen state.Synthesis
	for _, e := range newest {
		seen.Applications = append(seen.Applications, Application(e))
	}
	return seen
}
