package review

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/plan"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// reviewView draws the review.
type reviewView struct{ *Review }

func (p reviewView) buildText() components.View {
	t := p.session.Theme
	switch {
	case p.run.IsRunning():
		return components.Lines{"", " " + t.Mark(theme.Running) + " " + t.Active.Bold(true).Render("READING") + "  existing objects, to plan what to create " + t.Dim.Render(p.formatWait())}
	case p.run.HasFailed():
		return p.buildFailure()
	case !p.run.IsKnown():
		return components.Lines{"", " " + t.Mark(theme.Waiting) + " r reads the existing objects"}
	}
	return p.buildReview()
}

func (p reviewView) formatWait() string {
	return text.FormatDuration(p.session.Now().Sub(p.run.Began()))
}

func (p reviewView) buildFailure() components.View {
	failure, _ := p.run.Failure()
	s := sanitizeCheckState(failure.CheckState, p.session.ASCII)
	check := preflight.Check{Title: s.Title, Marks: []theme.Status{theme.Failed}, Text: s.Text, Hint: s.Hint}
	if field, known := p.findFix(); known {
		check.Location = formatLocation(field)
	}
	return preflight.CheckDetails{Theme: p.session.Theme, Check: check}
}

func (p reviewView) countLines() int {
	if !p.run.IsCurrent() {
		return 0
	}
	return p.buildReview().CountLines(p.size.W)
}

func (p reviewView) buildReview() plan.Review {
	r, interview := p.review, p.session.Interview
	view := plan.Review{
		Theme: p.session.Theme, Spec: p.run.Spec(), Groups: p.groups, Quotas: buildNeedRows(r.Quotas), Minutes: r.Minutes, Actions: r.Actions,
		Cost: plan.Cost{
			Theme: p.session.Theme, Hour: r.Estimate.Hour, Month: r.Estimate.Month, Date: r.Estimate.Date, Unknown: r.Estimate.Unknown,
		},
		Warnings: p.listWarnings(), Export: r.Export, Change: r.Difference, Command: p.formatCommand(), Rehearsal: interview.Rehearsal,
		Open: p.open, Selected: p.focus, Offset: p.offset,
	}
	if p.frame > 0 {
		view.Rows = max(view.PictureHeight(p.size.W, p.size.H)*p.frame/frameCount, 1)
	}
	return view
}

// formatCommand returns the non-interactive command with the same effect.
func (p reviewView) formatCommand() string {
	if p.review.Export == "" {
		return ""
	}
	if p.session.Interview.Rehearsal {
		return "exoshift rehearse --answers " + p.review.Export
	}
	return "exoshift install --answers " + p.review.Export + " --yes"
}

// listWarnings includes the failed lookups.
func (p reviewView) listWarnings() []string {
	var all []string
	for _, q := range p.session.Lookups.List() {
		if q.State == session.Known && q.Err != nil {
			all = append(all, fmt.Sprintf("%s: lookup failed: %s", q.Title, q.DescribeError()))
		}
	}
	for _, f := range p.session.ListWarnings() {
		all = append(all, strings.TrimPrefix(f.Field+": "+f.Message, ": "))
	}
	for _, consequence := range p.run.Spec().ListConsequences() {
		if consequence.Field == "" { // the others are warnings of their fields
			all = append(all, consequence.Text)
		}
	}
	for i, warning := range all {
		all[i] = cells.SanitizeText(warning, p.session.ASCII)
	}
	return all
}

func (p reviewView) renderButtons(width int) string {
	t := p.session.Theme
	line := " " + p.renderButton("Back", p.backButton())
	if label := p.formatConfirmLabel(width); label != "" {
		line += "  " + p.renderButton(label, p.confirmButton())
	}
	if obstacle := p.run.Blocker(); obstacle != "" && p.run.IsCurrent() {
		line += "  " + t.Mark(theme.Failed) + " " + obstacle
	}
	return line
}

func (p reviewView) renderButton(label string, at int) string {
	t, button := p.session.Theme, "  [ "+label+" ]"
	if p.focus == at {
		button = t.Focus.Render(t.Cursor) + " " + t.Selected.Render("[ "+label+" ]")
	}
	return components.MarkTarget(t, plan.FormatGroupTarget(at), button)
}

// formatConfirmLabel returns the label of the second button; empty if there is nothing to do.
func (p reviewView) formatConfirmLabel(width int) string {
	_, known := p.findFix()
	switch {
	case p.run.IsRunning():
		return ""
	case known:
		return "Change the answer"
	case !p.run.IsCurrent():
		return "Refresh"
	case p.session.Interview.CheckOnly:
		return "Done: nothing is created"
	case p.run.Blocker() != "":
		return ""
	case p.session.Interview.Rehearsal:
		return "Rehearse: no real resources"
	case width < components.MinWidth:
		return "Create: costs money"
	}
	return "Create: costs money from now on"
}

func buildNeedRows(needs []wizard.QuotaCheck) []plan.Quota {
	rows := make([]plan.Quota, 0, len(needs))
	for _, q := range needs {
		rows = append(rows, plan.Quota{Resource: q.Resource, Used: q.Used, Limit: q.Limit, Need: q.Need})
	}
	return rows
}

func toPlanned(changes []wizard.PlannedChange) []plan.PlannedObject {
	planned := make([]plan.PlannedObject, 0, len(changes))
	for _, c := range changes {
		planned = append(planned, plan.PlannedObject{Action: c.Action, Kind: c.Kind, Name: c.Name, Detail: c.Detail})
	}
	return planned
}

func sanitizeReview(r wizard.Review, ascii bool) wizard.Review {
	r.Changes, r.Actions, r.Quotas = slices.Clone(r.Changes), slices.Clone(r.Actions), slices.Clone(r.Quotas)
	for i := range r.Changes {
		for _, s := range []*string{&r.Changes[i].Action, &r.Changes[i].Kind, &r.Changes[i].Name, &r.Changes[i].Detail} {
			*s = cells.SanitizeText(*s, ascii)
		}
	}
	for i := range r.Actions {
		r.Actions[i] = cells.SanitizeText(r.Actions[i], ascii)
	}
	for i := range r.Quotas {
		r.Quotas[i].Resource = cells.SanitizeText(r.Quotas[i].Resource, ascii)
	}
	r.Export = cells.SanitizeText(r.Export, ascii)
	if r.Difference = text.SanitizeDiff(r.Difference); ascii {
		r.Difference = cells.ToASCII(r.Difference)
	}
	return r
}
