package run

import (
	"slices"

	"exoshift/provisioner"
)

// addedNodes emits how far the nodes are that an installation adds to a cluster.
type addedNodes struct {
	names []string
	emit  func(provisioner.Event)
	last  provisioner.LastStates
}

func (a *addedNodes) begin() {
	for _, name := range a.names {
		a.emit(provisioner.Event{Type: provisioner.TypeTarget, Name: name, State: provisioner.TargetWaiting, Text: "waiting"})
	}
}

// follow emits an event, and what it says of a node that is added.
func (a *addedNodes) follow(e provisioner.Event) {
	a.emit(e)
	if e.Type != provisioner.TypeNode || !slices.Contains(a.names, e.Name) || !a.last.Update(e.Name, e.State) {
		return
	}
	target := provisioner.Event{Type: provisioner.TypeTarget, Name: e.Name, Role: e.Role, State: provisioner.TargetAdding, Text: "adding, " + e.State}
	if e.State == provisioner.NodeReady {
		target.State, target.Text = provisioner.TargetAdded, "added"
	}
	a.emit(target)
}
