package review

import (
	"fmt"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// checksView draws the page.
type checksView struct{ *Checks }

func (p checksView) buildChecks() preflight.Checks {
	checks := preflight.Checks{
		Theme: p.session.Theme, Selected: p.selectedIndex(), Endpoints: p.board.BuildTable(p.session.Theme), Details: p.board.BuildDetails(p.session.Theme),
	}
	if n := p.board.CountFindings(); n > 0 {
		checks.Details.Note = text.Plural(n, "finding") + " " + p.session.Theme.Arrow + " firewall request (f)"
	}
	for _, row := range p.listSteps() {
		checks.Rows = append(checks.Rows, p.buildCheck(row))
	}
	checks.Header = p.renderHeader(checks.FormatCounts() + p.formatTallies())
	if p.filtering {
		checks.Header = p.session.Theme.Label.Render("/") + p.board.Filter.Render(p.session.Theme, maxFilterWidth)
	}
	if p.runs.HavePassed() {
		checks.Footer = components.MarkTarget(p.session.Theme, cells.KeyTarget+"enter", p.session.Theme.Selected.Render("[ Next: review ]")) +
			p.session.Theme.Dim.Render("  enter")
	}
	return checks
}

// maxFilterWidth is in cells.
const maxFilterWidth = 40

func (p checksView) buildCheck(row session.CheckStep) preflight.Check {
	check := preflight.Check{Title: row.Title, Marks: []theme.Status{mapCheckState(row.State)}, Text: row.Text, Hint: row.Hint}
	if !row.Began.IsZero() && !row.Ended.IsZero() {
		check.Took = row.Ended.Sub(row.Began)
	}
	if row.Warning {
		check.Marks = []theme.Status{theme.Warn}
	}
	if row.State == provisioner.Failed {
		if field, known := session.FindAsked(row.Field, p.runs.Local.Spec()); known {
			check.Location = formatLocation(field)
		}
	}
	return check
}

func formatLocation(field wizard.Field) string {
	return fmt.Sprintf("%s on the screen %s (%s)", field.Title, field.Screen.Title(), field.Key)
}

func mapCheckState(state string) theme.Status {
	switch state {
	case provisioner.Started, provisioner.Progress:
		return theme.Running
	case provisioner.Done:
		return theme.OK
	case provisioner.Failed:
		return theme.Failed
	case provisioner.Skipped:
		return theme.Skipped
	}
	return theme.Waiting
}

func (p checksView) renderHeader(tally string) string {
	t := p.session.Theme
	age := t.Dim.Render(" " + t.Dot + " checked " + text.FormatAge(p.session.Now().Sub(p.runs.Local.Ended())))
	head := func(status theme.Status, words string) string {
		return t.Mark(status) + " " + t.Style(status).Bold(true).Render(words) + "  "
	}
	switch {
	case p.runs.Zone.IsRunning() && !p.runs.Local.IsRunning():
		return head(theme.Running, "CHECKING FROM THE ZONE") + tally + t.Dim.Render(" "+t.Dot+" "+p.formatElapsed(p.runs.Zone))
	case p.runs.Local.IsRunning():
		return head(theme.Running, "CHECKING") + tally + t.Dim.Render(" "+t.Dot+" "+p.formatElapsed(p.runs.Local)+"; nothing is created")
	case !p.runs.Local.IsKnown():
		return head(theme.Waiting, "NOT CHECKED") + "r runs all checks"
	case !p.runs.Local.IsCurrent():
		return head(theme.Waiting, "OLD") + "the answers have changed; r runs the checks again"
	case p.computeStatus() == theme.Failed:
		return head(theme.Failed, "CHECKS FAILED") + tally + age
	}
	if p.Mark() == theme.Warn {
		return head(theme.Warn, "CHECKS PASSED WITH WARNINGS") + tally + age
	}
	return head(theme.OK, "CHECKS PASSED") + tally + age
}

func (p checksView) formatTallies() string {
	text, columns := "", p.board.ListColumns()
	for vantage, name := range columns {
		if good, looked, worst := p.board.CountReached(vantage); looked > 0 {
			text += fmt.Sprintf(" %s %s %d/%d %s", p.session.Theme.Dim.Render(p.session.Theme.Dot), name, good, looked, p.session.Theme.Mark(worst))
		}
	}
	return text
}

func (p checksView) formatElapsed(run *session.CheckRun) string {
	return text.FormatDuration(p.session.Now().Sub(run.Began()).Truncate(time.Second))
}
