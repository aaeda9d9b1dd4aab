package handover

import (
	"exoshift/provisioner"
	"exoshift/state"
)

// ToApplicationStatus is what an event says about an application of the cluster's catalog.
func ToApplicationStatus(e provisioner.Event) state.ApplicationStatus {
	return state.ApplicationStatus{Name: e.Name, Sync: e.Sync, Health: e.State, Message: e.Reason}
}

// ToSynStatus is what the newest event of each application says about all of them. The agent and Argo CD are among them:
// they have no sync, and do not count.
func ToSynStatus(newest []provisioner.Event) state.SynStatus {
	var seen state.SynStatus
	for _, e := range newest {
		seen.Applications = append(seen.Applications, ToApplicationStatus(e))
	}
	return seen
}
