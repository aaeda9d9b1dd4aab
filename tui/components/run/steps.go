package run

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

// Steps lists the plan: all of it where there is room, else without the phases that need no attention, else only what failed,
// runs and ended last, and counts of the rest.
type Steps struct {
	Theme  theme.Theme
	Steps  []provisioner.StepView
	Now    time.Time
	Offset int // lines scrolled; 0 follows the run
}

// View draws the list.
func (p Steps) View(width, height int) string {
	all := p.renderStages(width, countSteps)
	if len(all) <= height || p.Offset > 0 {
		return cells.Fill(components.ScrollLines(p.Theme, all, p.Offset, height), width, height)
	}
	if some := p.renderPartial(width, height); len(some) <= height {
		return cells.Fill(some, width, height)
	}
	return cells.Fill(p.renderCompact(width, height), width, height)
}

// CountLines returns the number of lines of the whole list.
func (p Steps) CountLines(width int) int { return len(p.renderStages(width, countSteps)) }

func countSteps(s stage) int { return len(s.Steps) }

// renderPartial expands the active stages, then as much as fits of what comes next, then what ended last.
func (p Steps) renderPartial(width, height int) []string {
	rows := map[string]int{}
	shown := func(s stage) int { return rows[s.Name] }
	stages := groupStages(p.Steps)
	for _, stage := range stages {
		if stage.Status == theme.Running || stage.Status == theme.Failed {
			rows[stage.Name] = len(stage.Steps)
		}
	}
	room := func() int { return height - len(p.renderStages(width, shown)) }
	for _, stage := range stages {
		if stage.Status == theme.Waiting {
			rows[stage.Name] = limitRows(len(stage.Steps), room())
		}
	}
	for _, stage := range slices.Backward(stages) {
		if (stage.Status == theme.OK || stage.Status == theme.Skipped) && len(stage.Steps) <= room() {
			rows[stage.Name] = len(stage.Steps)
		}
	}
	return p.renderStages(width, shown)
}

// limitRows returns how many of n rows to show in room lines, one of which may have to count the hidden ones.
func limitRows(n, room int) int {
	switch {
	case n <= room:
		return n
	case room < 3:
		return 0
	}
	return room - 1
}

func (p Steps) renderStages(width int, shown func(stage) int) []string {
	var lines []string
	var counted time.Time // end of the stages before
	for _, stage := range groupStages(p.Steps) {
		lines = append(lines, p.renderHeading(stage, counted, width))
		if _, ended := stage.interval(p.Now); ended.After(counted) {
			counted = ended
		}
		n := shown(stage)
		for _, step := range stage.Steps[:n] {
			lines = append(lines, p.renderRows(step, "  ", width)...)
		}
		if more := len(stage.Steps) - n; n > 0 && more > 0 {
			lines = append(lines, p.Theme.Dim.Render(fmt.Sprintf("  %sand %d more", p.Theme.Indent(), more)))
		}
	}
	return lines
}

// renderHeading shows how long a stage took beyond the stages before it, and how long beside them, so that the durations add up.
func (p Steps) renderHeading(stage stage, counted time.Time, width int) string {
	t, right, beside := p.Theme, fmt.Sprintf("%d/%d", stage.Succeeded, len(stage.Steps)), ""
	if began, ended := stage.interval(p.Now); !began.IsZero() {
		took, overlap := provisioner.SplitDuration(began, ended, counted)
		right = fmt.Sprintf("%s %7s", right, text.FormatDuration(took))
		if overlap >= time.Second {
			beside = text.FormatDuration(overlap) + " in parallel  "
		}
	} else {
		right += strings.Repeat(" ", 8)
	}
	name := t.Bold.Render(cmp.Or(stage.Name, "steps"))
	if stage.Status == theme.Waiting {
		name = t.Plain.Render(cmp.Or(stage.Name, "steps"))
	}
	left := t.Mark(stage.Status) + " " + name
	if cells.Count(left)+cells.Count(beside+right)+2 > width {
		beside = ""
	}
	return cells.JoinEnds(left, t.Dim.Render(beside+right), width)
}

// The latest message is shown while the step needs attention.
func (p Steps) renderRows(step provisioner.StepView, indent string, width int) []string {
	t, status := p.Theme, mapStepStatus(step)
	title := t.Plain
	if status == theme.Waiting || status == theme.Skipped {
		title = t.Dim
	}
	rows := []string{cells.JoinEnds(indent+t.Mark(status)+" "+title.Render(step.Title), p.renderDuration(step), width)}
	if detail := formatStepDetail(step); detail != "" {
		rows = append(rows, cells.Truncate(indent+t.Indent()+t.Style(status).Render(detail), width))
	}
	return rows
}

func formatStepDetail(step provisioner.StepView) string {
	switch {
	case step.State == provisioner.Started && step.Wait != nil:
		return step.Wait.Last
	case step.State == provisioner.Failed, step.State == provisioner.Started && step.Text != step.Title:
		return step.Text
	}
	return ""
}

func (p Steps) renderDuration(step provisioner.StepView) string {
	switch mapStepStatus(step) {
	case theme.Running:
		return p.Theme.Active.Render(text.FormatDuration(p.Now.Sub(step.Began)))
	case theme.OK:
		return p.Theme.Dim.Render(text.FormatDuration(step.Ended.Sub(step.Began)))
	case theme.Failed:
		return p.Theme.Bad.Render("failed " + text.FormatDuration(step.Ended.Sub(step.Began)))
	case theme.Skipped:
		return p.Theme.Dim.Render("skipped")
	}
	return ""
}

// renderCompact shows what failed, what runs, what ended last and what comes next, as far as there is room.
func (p Steps) renderCompact(width, height int) []string {
	var lines []string
	shown := map[string]bool{}
	add := func(steps []provisioner.StepView, details bool) {
		for _, step := range steps {
			rows := p.renderRows(step, "", width)
			if !details {
				rows = rows[:1]
			}
			if len(lines)+len(rows) <= height-1 {
				lines, shown[step.ID] = append(lines, rows...), true
			}
		}
	}
	running := p.filterByStatus(theme.Running)
	add(p.filterByStatus(theme.Failed), height > 6)
	add(running, height > len(running)*2+2)
	add(p.listRecent(), false)
	add(p.filterByStatus(theme.Waiting), false)
	return append(lines, p.renderMore(shown))
}

func (p Steps) filterByStatus(status theme.Status) []provisioner.StepView {
	var found []provisioner.StepView
	for _, step := range p.Steps {
		if mapStepStatus(step) == status {
			found = append(found, step)
		}
	}
	return found
}

// listRecent returns the three steps that were done last, newest first.
func (p Steps) listRecent() []provisioner.StepView {
	done := p.filterByStatus(theme.OK)
	stable.Sort(done, func(a, b provisioner.StepView) int { return b.Ended.Compare(a.Ended) })
	return done[:min(len(done), 3)]
}

func (p Steps) renderMore(shown map[string]bool) string {
	var parts []string
	for _, status := range []theme.Status{theme.Failed, theme.Running, theme.OK, theme.Skipped, theme.Waiting} {
		n := 0
		for _, step := range p.filterByStatus(status) {
			if !shown[step.ID] {
				n++
			}
		}
		if n > 0 {
			word := strings.Replace(status.Word(), "ok", "done", 1)
			parts = append(parts, fmt.Sprintf("%s %d more %s", p.Theme.Mark(status), n, word))
		}
	}
	return strings.Join(parts, "   ")
}
