package run

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Records lists the parts of a run with everything that is known about each.
type Records struct {
	Board *provisioner.Board
	Now   time.Time
	Title func(step string) string // title of a step
}

// maxHistory is in events.
const maxHistory = 100

// FormatHistory returns the newest events that match, one a line.
func (p Records) FormatHistory(match func(provisioner.Event) bool) string {
	var lines []string
	for _, e := range p.Board.Log {
		if match(e) {
			lines = append(lines, e.Time.Format("15:04:05")+" "+formatEvent(e, p.Title(e.Step)))
		}
	}
	if more := len(lines) - maxHistory; more > 0 {
		lines = append([]string{text.Plural(more, "earlier event") + " in the log"}, lines[more:]...)
	}
	return strings.Join(lines, "\n")
}

// ListSteps lists the steps of the plan.
func (p Records) ListSteps() []components.Record {
	records := make([]components.Record, 0, len(p.Board.Steps))
	for _, step := range p.Board.Steps {
		status := mapStepStatus(step)
		records = append(records, components.Record{
			ID: step.ID, Status: status, Name: step.Title, Note: cmp.Or(formatStepDetail(step), formatState(step)),
			Fields: func() []components.Field { return p.describeStep(step) },
		})
	}
	return records
}

func formatState(step provisioner.StepView) string {
	switch {
	case step.Unreached:
		return "not reached"
	case step.State == "":
		return "waiting"
	case step.Ended.IsZero():
		return step.State
	}
	return step.State + " after " + text.FormatDuration(step.Ended.Sub(step.Began))
}

func (p Records) describeStep(step provisioner.StepView) []components.Field {
	message := step.Text
	if message == step.Title {
		message = ""
	}
	fields := components.NewFields(
		"State", formatState(step), "Fix", step.Hint, "Message", message, "Step", step.ID, "Phase", step.Phase,
		"Started", formatClock(step.Began), "Ended", formatClock(step.Ended),
	)
	if step.Wait != nil {
		fields = append(fields, p.describeWait(step)...)
	}
	return append(fields, components.NewFields("Events", p.FormatHistory(func(e provisioner.Event) bool { return e.Step == step.ID }))...)
}

func (p Records) describeWait(step provisioner.StepView) []components.Field {
	wait := *step.Wait
	waited := Status{Now: p.Now}.computeWait(wait)
	return components.NewFields(
		"Waiting for", wait.What, "Last seen", wait.Last, "Unchanged for", text.FormatDuration(p.Now.Sub(step.Seen)),
		"Waited", text.FormatDuration(waited), "Usually", formatSeconds(wait.Usual), "Limit", formatSeconds(wait.Limit),
	)
}

func formatSeconds(seconds float64) string {
	if seconds <= 0 {
		return ""
	}
	return text.FormatDuration(toDuration(seconds))
}

func formatClock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format("15:04:05")
}

// ListObjects lists the cloud objects, the newest first.
func (p Records) ListObjects() []components.Record {
	records := make([]components.Record, 0, len(p.Board.Objects))
	for i := len(p.Board.Objects) - 1; i >= 0; i-- {
		object := p.Board.Objects[i]
		records = append(records, components.Record{
			ID: object.Kind + "/" + object.Name, Status: theme.OK, Name: FormatKind(object.Kind), Note: object.Name + " " + object.Action,
			Fields: func() []components.Field {
				return components.NewFields(
					"Name", object.Name, "Kind", FormatKind(object.Kind), "ID", object.ID, "Last action", object.Action,
					"Events", p.FormatHistory(func(e provisioner.Event) bool {
						return e.Type == provisioner.TypeObject && e.Kind == object.Kind && e.Name == object.Name
					}),
				)
			},
		})
	}
	return records
}

// ListFindings lists the diagnosis, the most certain finding first.
func (p Records) ListFindings() []components.Record {
	var records []components.Record
	for _, e := range provisioner.SortFindings(p.Board.Findings) {
		records = append(records, components.Record{
			ID: e.Name, Status: mapConfidence(e), Name: e.Text, Note: e.Confidence, Fields: func() []components.Field { return describeEvent(e) },
		})
	}
	return records
}

// ListEvents lists events, e.g. those of the log, with all their fields.
func (p Records) ListEvents(events []provisioner.Event) []components.Record {
	records := make([]components.Record, 0, len(events))
	for _, i := range (Log{Events: events, Title: p.Title}).filterEvents() {
		e := events[i]
		status := mapEventStatus(e)
		records = append(records, components.Record{
			ID: fmt.Sprint(e.Seq, "/", i), Status: status, Name: e.Time.Format("15:04:05") + " " + formatArea(e), Note: formatEvent(e, p.Title(e.Step)),
			Fields: func() []components.Field { return describeEvent(e) },
		})
	}
	return records
}

func describeEvent(e provisioner.Event) []components.Field {
	var members []string
	for _, m := range e.Members {
		members = append(members, fmt.Sprintf("%s %s, revision %d", m.Name, m.State, m.Revision))
	}
	exit, percent := "", ""
	if e.ExitCode != nil {
		exit = fmt.Sprint(*e.ExitCode)
	}
	if e.Percent != nil {
		percent = fmt.Sprintf("%d%%", *e.Percent)
	}
	return components.NewFields(
		"Text", e.Text, "Fix", e.Hint, "Evidence", strings.Join(e.Evidence, "\n"), "Confidence", e.Confidence, "The run", e.Disposition,
		"State", e.State, "Reason", e.Reason, "Last seen", e.Last, "Waiting for", e.What, "Usually", formatSeconds(e.Usual), "Limit", formatSeconds(e.Limit),
		"Kind", e.Kind, "Name", e.Name, "ID", e.ID, "Action", e.Action, "Node", e.Node, "Role", e.Role, "Decision", e.Decision,
		"Instance", e.Machine, "Client CSR", e.Client, "Serving CSR", e.Serving, "Sync", e.Sync, "Members", strings.Join(members, "\n"),
		"Progress", percent, "Result", e.Result, "Exit code", exit, "Step", e.Step, "Phase", e.Phase,
		"Since", formatMoment(e.Since), "Until", formatMoment(e.Until), "Time", e.Time.Format(time.RFC3339), "Type", string(e.Type), "Number", fmt.Sprint(e.Seq),
	)
}

func formatMoment(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.Format(time.RFC3339)
}
