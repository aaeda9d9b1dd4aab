package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
)

// Steps lists the plan: all of it where there is room, else without the phases that need no attention, else only
// what failed, runs and ended last, and counts of the rest.
type Steps struct {
	Theme  Theme
	Steps  []provisioner.StepView
	Now    time.Time
	Offset int // lines scrolled; 0 follows the run
}

// View draws the list.
func (p Steps) View(width, height int) string {
	all := p.grouped(width, everything)
	if len(all) <= height || p.Offset > 0 {
		return Fill(window(p.Theme, all, p.Offset, height), width, height)
	}
	if some := p.someOpen(width, height); len(some) <= height {
		return Fill(some, width, height)
	}
	return Fill(p.digest(width, height), width, height)
}

// Lines returns how many lines the whole list has.
func (p Steps) Lines(width int) int { return len(p.grouped(width, everything)) }

func everything(s Stage) int { return len(s.Steps) }

// someOpen opens the stages that are worked on, then as much as fits of what comes next, then what ended last.
func (p Steps) someOpen(width, height int) []string {
	rows := map[string]int{}
	shown := func(s Stage) int { return rows[s.Name] }
	stages := Stages(p.Steps)
	for _, stage := range stages {
		if stage.Status == Running || stage.Status == Failed {
			rows[stage.Name] = len(stage.Steps)
		}
	}
	room := func() int { return height - len(p.grouped(width, shown)) }
	for _, stage := range stages {
		if stage.Status == Waiting {
			rows[stage.Name] = partly(len(stage.Steps), room())
		}
	}
	for _, stage := range slices.Backward(stages) {
		if (stage.Status == OK || stage.Status == Skipped) && len(stage.Steps) <= room() {
			rows[stage.Name] = len(stage.Steps)
		}
	}
	return p.grouped(width, shown)
}

// partly returns how many of n rows to show where there is room for so many, one of which may have to say how many
// more there are.
func partly(n, room int) int {
	switch {
	case n <= room:
		return n
	case room < 3:
		return 0
	}
	return room - 1
}

// grouped lists the stages, each with as many of its steps as shown says.
func (p Steps) grouped(width int, shown func(Stage) int) []string {
	var lines []string
	for _, stage := range Stages(p.Steps) {
		lines = append(lines, p.heading(stage, width))
		n := shown(stage)
		for _, step := range stage.Steps[:n] {
			lines = append(lines, p.rows(step, "  ", width)...)
		}
		if more := len(stage.Steps) - n; n > 0 && more > 0 {
			lines = append(lines, p.Theme.Dim.Render(fmt.Sprintf("  %sand %d more", p.Theme.Indent(), more)))
		}
	}
	return lines
}

func (p Steps) heading(stage Stage, width int) string {
	t, right := p.Theme, fmt.Sprintf("%d/%d", stage.Ended, len(stage.Steps))
	if took, begun := stage.Took(p.Now); begun {
		right = fmt.Sprintf("%s %7s", right, Short(took))
	} else {
		right += strings.Repeat(" ", 8)
	}
	name := t.Bold.Render(cmp.Or(stage.Name, "steps"))
	if stage.Status == Waiting {
		name = t.Plain.Render(cmp.Or(stage.Name, "steps"))
	}
	return spread(t.Mark(stage.Status)+" "+name, t.Dim.Render(right), width)
}

// rows draws a step and, while it deserves attention, the latest sentence about it.
func (p Steps) rows(step provisioner.StepView, indent string, width int) []string {
	t, status := p.Theme, StepStatus(step)
	title := t.Plain
	if status == Waiting || status == Skipped {
		title = t.Dim
	}
	rows := []string{spread(indent+t.Mark(status)+" "+title.Render(step.Title), p.took(step), width)}
	if detail := stepDetail(step); detail != "" {
		rows = append(rows, Truncate(indent+t.Indent()+t.Style(status).Render(detail), width))
	}
	return rows
}

// stepDetail returns what is worth knowing about a step besides its title.
func stepDetail(step provisioner.StepView) string {
	switch {
	case step.State == provisioner.Started && step.Wait != nil:
		return step.Wait.Last
	case step.State == provisioner.Failed, step.State == provisioner.Started && step.Text != step.Title:
		return step.Text
	}
	return ""
}

func (p Steps) took(step provisioner.StepView) string {
	switch StepStatus(step) {
	case Running:
		return p.Theme.Active.Render(Short(p.Now.Sub(step.Began)))
	case OK:
		return p.Theme.Dim.Render(Short(step.Ended.Sub(step.Began)))
	case Failed:
		return p.Theme.Bad.Render("failed " + Short(step.Ended.Sub(step.Began)))
	case Skipped:
		return p.Theme.Dim.Render("skipped")
	}
	return ""
}

// digest shows what failed, what runs, what ended last and what comes next, as far as there is room.
func (p Steps) digest(width, height int) []string {
	var lines []string
	shown := map[string]bool{}
	add := func(steps []provisioner.StepView, details bool) {
		for _, step := range steps {
			rows := p.rows(step, "", width)
			if !details {
				rows = rows[:1]
			}
			if len(lines)+len(rows) <= height-1 {
				lines, shown[step.ID] = append(lines, rows...), true
			}
		}
	}
	running := p.with(Running)
	add(p.with(Failed), height > 6)
	add(running, height > len(running)*2+2)
	add(p.recent(), false)
	add(p.with(Waiting), false)
	return append(lines, p.rest(shown))
}

func (p Steps) with(status Status) []provisioner.StepView {
	var found []provisioner.StepView
	for _, step := range p.Steps {
		if StepStatus(step) == status {
			found = append(found, step)
		}
	}
	return found
}

// recent returns the three steps that were done last, newest first.
func (p Steps) recent() []provisioner.StepView {
	done := p.with(OK)
	slices.SortStableFunc(done, func(a, b provisioner.StepView) int { return b.Ended.Compare(a.Ended) })
	return done[:min(len(done), 3)]
}

// rest counts the steps that found no room.
func (p Steps) rest(shown map[string]bool) string {
	var parts []string
	for _, status := range []Status{Failed, Running, OK, Skipped, Waiting} {
		n := 0
		for _, step := range p.with(status) {
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
