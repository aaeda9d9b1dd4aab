package cluster

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/stable"
	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Applications shows the state of Project Syn on the cluster: its agent, Argo CD, and each application of the catalog, problems
// first.
type Applications struct {
	Theme        theme.Theme
	Applications []provisioner.Event
	Now          time.Time
	Offset       int    // lines scrolled
	Filter       string // only applications that mention this word
	Typing       bool   // the filter is being edited
}

// View draws the count, then a line for each application.
func (p Applications) View(width, height int) string {
	return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns the number of lines of the whole list.
func (p Applications) CountLines(width int) int { return len(p.renderLines(width)) }

func (p Applications) renderLines(width int) []string {
	if len(p.Applications) == 0 {
		return []string{p.Theme.Dim.Render("no applications yet")}
	}
	lines := []string{p.Theme.Mark(p.computeStatus()) + " " + p.formatCount()}
	if p.Typing || p.Filter != "" {
		lines = append(lines, p.Theme.RenderFilter(p.Filter, p.Typing))
	}
	for _, application := range p.sortByStatus() {
		if ContainsWord(p.Filter, application.Name, application.State, application.Sync, application.Reason) {
			lines = append(lines, p.renderRows(application, width)...)
		}
	}
	return lines
}

// reasonMaxLines is per application.
const reasonMaxLines = 3

// The reason is below the line where it does not fit into it.
func (p Applications) renderRows(application provisioner.Event, width int) []string {
	if width < 60 {
		return []string{p.renderRow(application, width)}
	}
	row := p.renderRow(application, width) + application.Reason
	if cells.Count(row) <= width || MapApplicationStatus(application) != theme.Warn {
		return []string{row}
	}
	why := cells.Wrap(application.Reason, "    ", width-2)
	if len(why) > reasonMaxLines {
		why = append(why[:reasonMaxLines-1], why[reasonMaxLines-1]+" …")
	}
	for i, line := range why {
		why[i] = p.Theme.Style(theme.Warn).Render(line)
	}
	return append([]string{p.renderRow(application, width)}, why...)
}

// A wide row omits the reason.
func (p Applications) renderRow(application provisioner.Event, width int) string {
	t, status := p.Theme, MapApplicationStatus(application)
	line := t.Mark(status) + " " + cells.Fit(application.Name, min(28, width/3)) + " "
	age := text.FormatDuration(p.Now.Sub(application.StartTime()))
	if width < 60 {
		return cells.JoinEnds(line+t.Style(status).Render(describeApplication(application)), t.Dim.Render(age), width)
	}
	line += t.Style(status).Render(cells.Fit(application.State, 12)) + " " + cells.Fit(application.Sync, 10) + " "
	return line + t.Dim.Render(cells.Fit(age, 7))
}

func describeApplication(application provisioner.Event) string {
	if handover.ToApplicationStatus(application).Health == "Healthy" && application.Sync != "" && application.Sync != "Synced" {
		return application.Sync + text.WithAffixes(application.Reason, ": ", "")
	}
	return application.State + text.WithAffixes(application.Reason, ": ", "")
}

// MapApplicationStatus returns the status that stands for an application.
func MapApplicationStatus(e provisioner.Event) theme.Status {
	switch {
	case handover.ToApplicationStatus(e).IsHealthy():
		return theme.OK
	case e.State == "Degraded", e.Reason != "" && (e.Sync == "Unknown" || e.State == "Unknown"):
		return theme.Warn
	case e.State == "Missing", e.State == "Suspended", e.State == "":
		return theme.Waiting
	}
	return theme.Running
}

// Within a status, the longest in their state come first.
func (p Applications) sortByStatus() []provisioner.Event {
	applications := slices.Clone(p.Applications)
	stable.Sort(applications, func(a, b provisioner.Event) int {
		return cmp.Or(
			cmp.Compare(MapApplicationStatus(a).Urgency(), MapApplicationStatus(b).Urgency()), a.StartTime().Compare(b.StartTime()))
	})
	return applications
}

func (p Applications) formatCount() string {
	well, all := handover.ToSynStatus(p.Applications).Count()
	if all == 0 {
		return "no applications of the catalog yet"
	}
	return fmt.Sprintf("%d of %d applications are synced and healthy", well, all)
}

// computeStatus returns the status of the worst application.
func (p Applications) computeStatus() theme.Status {
	worst := theme.OK
	for _, application := range p.Applications {
		if status := MapApplicationStatus(application); status.Urgency() < worst.Urgency() {
			worst = status
		}
	}
	if worst == theme.Waiting {
		return theme.Running
	}
	return worst
}

// RenderSummary returns the applications in one line, or "".
func (p Applications) RenderSummary() string {
	if len(p.Applications) == 0 {
		return ""
	}
	parts := []string{p.Theme.Mark(p.computeStatus()) + " " + p.formatBrief()}
	for _, application := range p.sortByStatus() {
		if status := MapApplicationStatus(application); status != theme.OK {
			parts = append(parts, p.Theme.Mark(status)+" "+application.Name)
		}
	}
	return strings.Join(parts[:min(len(parts), 5)], "  ")
}

func (p Applications) formatBrief() string {
	well, all := handover.ToSynStatus(p.Applications).Count()
	if all == 0 {
		return "begins"
	}
	return fmt.Sprintf("%d of %d healthy", well, all)
}
