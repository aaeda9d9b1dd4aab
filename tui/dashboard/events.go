package dashboard

import (
	"slices"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/cells"

	tea "github.com/charmbracelet/bubbletea"
)

type eventsMsg []provisioner.Event

type eventsClosedMsg struct{}

// forwardEvents sends events in batches, so that a busy run redraws no more often than a calm one. It drains events to their end
// even after the screen has quit: send must not block then.
func forwardEvents(events <-chan provisioner.Event, send func(tea.Msg)) {
	for first := range events {
		send(collectEvents(first, events))
	}
	send(eventsClosedMsg{})
}

// collectEvents adds to first what follows within half a frame: the other half is left for the drawing.
func collectEvents(first provisioner.Event, events <-chan provisioner.Event) eventsMsg {
	bundle := eventsMsg{first}
	frame := time.NewTimer(time.Second / framesPerSecond / 2)
	defer frame.Stop()
	for {
		select {
		case e, open := <-events:
			if !open {
				return bundle
			}
			bundle = append(bundle, e)
		case <-frame.C:
			return bundle
		}
	}
}

// sanitizeEvent sanitizes every string of an event: names, messages and errors are from remote systems.
func sanitizeEvent(e provisioner.Event, ascii bool) provisioner.Event {
	for _, s := range []*string{
		(*string)(&e.Type), &e.Program, &e.Command, &e.Verb, &e.Phase, &e.Step, &e.State, &e.Text, &e.Result, &e.What, &e.Last,
		&e.Name, &e.Role, &e.Node, &e.Decision, &e.Reason, &e.Kind, &e.ID, &e.Action,
		&e.Machine, &e.Client, &e.Serving, &e.Confidence, &e.Disposition, &e.Blocks, &e.Sync,
	} {
		*s = cells.SanitizeText(*s, ascii)
	}
	e.Hint = cells.SanitizeLines(e.Hint, ascii)
	e.Evidence = slices.Clone(e.Evidence)
	for i, evidence := range e.Evidence {
		e.Evidence[i] = cells.SanitizeText(evidence, ascii)
	}
	e.Steps = slices.Clone(e.Steps)
	for i, step := range e.Steps {
		step.ID, step.Title, step.Phase, step.Needs = cells.SanitizeText(step.ID, ascii), cells.SanitizeText(step.Title, ascii), cells.SanitizeText(step.Phase, ascii), nil
		for _, need := range e.Steps[i].Needs {
			step.Needs = append(step.Needs, cells.SanitizeText(need, ascii))
		}
		e.Steps[i] = step
	}
	if e.Ceph != nil {
		ceph := *e.Ceph
		ceph.Checks = slices.Clone(ceph.Checks)
		for i, code := range ceph.Checks {
			ceph.Checks[i] = cells.SanitizeText(code, ascii)
		}
		e.Ceph = &ceph
	}
	e.Members = slices.Clone(e.Members)
	for i, member := range e.Members {
		member.Name, member.State = cells.SanitizeText(member.Name, ascii), cells.SanitizeText(member.State, ascii)
		e.Members[i] = member
	}
	return e
}

func sanitizePlan(plan provisioner.Plan, ascii bool) provisioner.Plan {
	cleaned := slices.Clone(plan)
	for i, step := range plan {
		step.ID, step.Title, step.Phase = cells.SanitizeText(step.ID, ascii), cells.SanitizeText(step.Title, ascii), cells.SanitizeText(step.Phase, ascii)
		cleaned[i] = step
	}
	return cleaned
}
