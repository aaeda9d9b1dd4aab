package handover

import (
	"exoshift/provisioner"
	"exoshift/state"
)

// ToApplicationStatus returns the status of an application of the cluster's catalog from its event.
func ToApplicationStatus(e provisioner.Event) state.ApplicationStatus {
	return state.ApplicationStatus{Name: e.Name, Sync: e.Sync, Health: e.State, Message: e.Reason}
}

// ToSynStatus returns the status of the whole catalog from the newest event of each application. The agent and Argo CD
// are among these events: they have no sync status, and are not counted.
func ToSynStatus(newest []provisioner.Event) state.SynStatus {
	var seen state.SynStatus
	for _, e := range newest {
		seen.Applications = append(seen.Applications, ToApplicationStatus(e))
	}
	return seen
}
