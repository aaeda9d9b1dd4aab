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
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Operators shows the progress of the release, and the cluster operators: unstable ones first, the stable ones as a count.
type Operators struct {
	Theme     theme.Theme
	Version   provisioner.Event
	Operators []provisioner.Event
	Now       time.Time
	Offset    int    // lines scrolled
	Filter    string // only operators that mention this word
	Typing    bool   // the filter is being edited
}

// View draws the version, then the operators.
func (p Operators) View(width, height int) string {
	return cells.Fill(components.ScrollLines(p.Theme, p.renderLines(width), p.Offset, height), width, height)
}

// CountLines returns the number of lines of the whole list.
func (p Operators) CountLines(width int) int { return len(p.renderLines(width)) }

func (p Operators) renderLines(width int) []string {
	if len(p.Operators) == 0 && p.Version.Type == "" {
		return []string{p.Theme.Dim.Render("no operators yet")}
	}
	lines := p.renderVersion(width)
	if p.Typing || p.Filter != "" {
		lines = append(lines, p.Theme.RenderFilter(p.Filter, p.Typing))
	}
	for _, operator := range p.sortByStatus() {
		if p.Filter == "" && MapOperatorStatus(operator) == theme.OK {
			break
		}
		if ContainsWord(p.Filter, operator.Name, operator.State, operator.Reason) {
			lines = append(lines, p.renderRow(operator, width))
		}
	}
	return append(lines, p.renderStable())
}

// renderVersion draws the progress bar, and the message of the cluster version operator.
func (p Operators) renderVersion(width int) []string {
	v := p.Version
	if v.Type == "" {
		return nil
	}
	t, status := p.Theme, MapVersionStatus(v)
	percent := 0
	if v.Percent != nil {
		percent = min(max(*v.Percent, 0), 100)
	}
	if status == theme.OK {
		percent = 100
	}
	line := t.Mark(status) + " " + t.Bold.Render(v.State) + " "
	line += t.RenderBar(percent, min(max(width-28, 6), 40)) + fmt.Sprintf(" %d%%", percent)
	wrapped := cells.Wrap(v.Text, t.Indent(), width)
	if v.Text == "" || status == theme.OK {
		return []string{line}
	}
	return append([]string{line}, wrapped[:min(len(wrapped), 3)]...)
}

// MapVersionStatus returns the status that stands for the cluster version.
func MapVersionStatus(v provisioner.Event) theme.Status {
	switch v.State {
	case "installed":
		return theme.OK
	case "failing":
		return theme.Warn
	}
	return theme.Running
}

// MapOperatorStatus returns the status that stands for a cluster operator.
func MapOperatorStatus(operator provisioner.Event) theme.Status {
	switch operator.State {
	case "stable":
		return theme.OK
	case "degraded", "flapping":
		return theme.Warn
	case "waiting", "":
		return theme.Waiting
	}
	return theme.Running
}

// Degraded operators come first, then progressing ones, then waiting ones, then stable ones; within a state the longest in it
// come first.
func (p Operators) sortByStatus() []provisioner.Event {
	operators := slices.Clone(p.Operators)
	stable.Sort(operators, func(a, b provisioner.Event) int {
		return cmp.Or(
			cmp.Compare(MapOperatorStatus(a).Urgency(), MapOperatorStatus(b).Urgency()), a.StartTime().Compare(b.StartTime()))
	})
	return operators
}

func (p Operators) renderRow(operator provisioner.Event, width int) string {
	t, status := p.Theme, MapOperatorStatus(operator)
	name := cells.Fit(operator.Name, min(26, width/3)) + " "
	label := t.Style(status).Render(cells.Fit(operator.State, 12)) + " "
	age := text.FormatDuration(p.Now.Sub(operator.StartTime()))
	if width < 60 {
		return cells.JoinEnds(t.Mark(status)+" "+name+label, t.Dim.Render(age), width)
	}
	return t.Mark(status) + " " + name + label + t.Dim.Render(cells.Fit(age, 7)) + operator.Reason
}

func (p Operators) renderStable() string {
	stable := p.countStable()
	status := theme.Running
	if stable == len(p.Operators) {
		status = theme.OK
	}
	return p.Theme.Mark(status) + fmt.Sprintf(" %d of %s stable", stable, text.Plural(len(p.Operators), "operator"))
}

func (p Operators) countStable() int {
	stable := 0
	for _, operator := range p.Operators {
		if MapOperatorStatus(operator) == theme.OK {
			stable++
		}
	}
	return stable
}

// RenderSummary returns version and operators in one line.
func (p Operators) RenderSummary() string {
	t := p.Theme
	if len(p.Operators) == 0 && p.Version.Type == "" {
		return t.Dim.Render("none seen yet")
	}
	var parts []string
	if v := p.Version; v.Type != "" {
		share := ""
		if v.Percent != nil && MapVersionStatus(v) != theme.OK {
			share = fmt.Sprintf(" %d%%", *v.Percent)
		}
		parts = append(parts, t.Mark(MapVersionStatus(v))+" "+v.State+share)
	}
	if len(p.Operators) > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d stable", p.countStable(), len(p.Operators)))
	}
	for _, operator := range p.sortByStatus() {
		if status := MapOperatorStatus(operator); status == theme.Warn {
			parts = append(parts, t.Mark(status)+" "+operator.Name)
		}
	}
	return strings.Join(parts[:min(len(parts), 5)], "  ")
}
