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
	all := p.grouped(width, func(Stage) bool { return true })
	if len(all) <= height || p.Offset > 0 {
		return Fill(window(p.Theme, all, p.Offset, height), width, height)
	}
	if some := p.someOpen(width, height); len(some) <= height {
		return Fill(some, width, height)
	}
	return Fill(p.digest(width, height), width, height)
}

// someOpen opens the stages that are worked on, then as many as fit of those to come and those that are over.
func (p Steps) someOpen(width, height int) []string {
	opened := map[string]bool{}
	open := func(s Stage) bool { return opened[s.Name] }
	stages := Stages(p.Steps)
	for _, stage := range stages {
		opened[stage.Name] = stage.Status == Running || stage.Status == Failed
	}
	for _, status := range []Status{Waiting, OK, Skipped} {
		for _, stage := range stages {
			if stage.Status != status {
				continue
			}
			opened[stage.Name] = true
			opened[stage.Name] = len(p.grouped(width, open)) <= height
		}
	}
	return p.grouped(width, open)
}

// Lines returns how many lines the whole list has.
func (p Steps) Lines(width int) int {
	return len(p.grouped(width, func(Stage) bool { return true }))
}

func (p Steps) grouped(width int, open func(Stage) bool) []string {
	var lines []string
	for _, stage := range Stages(p.Steps) {
		lines = append(lines, p.heading(stage, width))
		if !open(stage) {
			continue
		}
		for _, step := range stage.Steps {
			lines = append(lines, p.rows(step, "  ", width)...)
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
