package nodes

import (
	"fmt"

	"exoshift/internal/text"
	"exoshift/provisioner"
)

// targetEvents emits how far the targets are. The zero value is ready to use.
type targetEvents struct{ last provisioner.LastStates }

// emit emits how far a target is, if that has changed.
func (e *targetEvents) emit(report provisioner.Report, t Target, event provisioner.Event) {
	event.Type, event.Name, event.Role = provisioner.TypeTarget, t.Name, string(t.Role)
	if t.Replacement != nil {
		event.Node = t.Replacement.Name
	}
	event.Text = describeTarget(event)
	if e.last.Update(t.Name, fmt.Sprint(event.Text, event.Evidence)) {
		report(event)
	}
}

// describeTarget returns the state of a target with its pods, such as "draining, 7 pods left".
func describeTarget(event provisioner.Event) string {
	pods := 0
	if event.Count != nil {
		pods = *event.Count
	}
	switch {
	case event.State == provisioner.TargetAdding:
		return "adding " + event.Node + " in its place"
	case event.State == provisioner.TargetWaiting && pods > 0:
		return "waiting, " + text.Plural(pods, "pod") + " to evict"
	case event.State == provisioner.TargetDraining:
		return "draining, " + text.Plural(pods, "pod") + " left"
	case event.State == provisioner.TargetStopped:
		return "its machine is stopped"
	}
	return event.State
}
