package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Stage is all steps of one phase of the plan.
type Stage struct {
	Name      string
	Status    theme.Status
	Steps     []provisioner.StepView
	Succeeded int // steps that succeeded
}

// GroupStages groups steps by phase, in the order in which the phases first appear.
func GroupStages(steps []provisioner.StepView) []Stage {
	var stages []Stage
	for _, step := range steps {
		i := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == step.Phase })
		if i < 0 {
			stages = append(stages, Stage{Name: step.Phase})
			i = len(stages) - 1
		}
		stages[i].Steps = append(stages[i].Steps, step)
		if HasSucceeded(step) {
			stages[i].Succeeded++
		}
	}
	for i := range stages {
		stages[i].Status = stages[i].computeStatus()
	}
	return stages
}

func (s Stage) computeStatus() theme.Status {
	count, missed := map[theme.Status]int{}, 0
	for _, step := range s.Steps {
		if count[MapStepStatus(step)]++; step.Unreached {
			missed++
		}
	}
	switch all := len(s.Steps); {
	case count[theme.Failed] > 0:
		return theme.Failed
	case missed > 0 && count[theme.Running] == 0:
		return theme.Skipped
	case count[theme.Skipped] == all:
		return theme.Skipped
	case count[theme.OK]+count[theme.Skipped] == all:
		return theme.OK
	case count[theme.Waiting] == all:
		return theme.Waiting
	}
	return theme.Running
}

// Elapsed returns the duration of the stage, or false if it has not begun.
func (s Stage) Elapsed(now time.Time) (time.Duration, bool) {
	var began, ended time.Time
	for _, step := range s.Steps {
		if !step.Began.IsZero() && (began.IsZero() || step.Began.Before(began)) {
			began = step.Began
		}
		if step.Ended.After(ended) {
			ended = step.Ended
		}
	}
	if s.Status == theme.Running {
		ended = now
	}
	return ended.Sub(began), !began.IsZero()
}

// MapStepStatus returns the status of a step.
func MapStepStatus(step provisioner.StepView) theme.Status {
	switch step.State {
	case provisioner.Started:
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

// HasSucceeded reports whether a step is done, or was skipped because there was nothing to do.
func HasSucceeded(step provisioner.StepView) bool {
	return step.State == provisioner.Done || step.State == provisioner.Skipped && !step.Unreached
}

// Strip is one line with the state of every stage.
type Strip struct {
	Theme theme.Theme
	Steps []provisioner.StepView
}

// View draws the line as detailed as the width allows.
func (s Strip) View(width, height int) string {
	stages := GroupStages(s.Steps)
	line := ""
	for _, draw := range []func([]Stage) string{s.renderCounts, s.renderCurrentCounts, s.renderNames, s.renderCollapsed} {
		if line = draw(stages); cells.Count(line) <= width {
			break
		}
	}
	return cells.Fill([]string{line}, width, height)
}

func (s Strip) renderCounts(stages []Stage) string {
	return s.renderEach(stages, func(stage Stage) bool { return stage.Status != theme.Waiting })
}

func (s Strip) renderCurrentCounts(stages []Stage) string {
	return s.renderEach(stages, func(stage Stage) bool { return stage.Status == theme.Running || stage.Status == theme.Failed })
}

func (s Strip) renderNames(stages []Stage) string {
	return s.renderEach(stages, func(Stage) bool { return false })
}

func (s Strip) renderEach(stages []Stage, counts func(Stage) bool) string {
	var parts []string
	for _, stage := range stages {
		part := s.Theme.Mark(stage.Status) + " " + s.renderName(stage)
		if counts(stage) {
			part += s.Theme.Dim.Render(fmt.Sprintf(" %d/%d", stage.Succeeded, len(stage.Steps)))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

func (s Strip) renderName(stage Stage) string {
	name := stage.Name
	if name == "" {
		name = "steps"
	}
	if stage.Status == theme.Running || stage.Status == theme.Failed {
		return s.Theme.Bold.Render(name)
	}
	return name
}

// renderCollapsed names only the stages that need attention.
func (s Strip) renderCollapsed(stages []Stage) string {
	count := map[theme.Status]int{}
	var current []Stage
	for _, stage := range stages {
		if count[stage.Status]++; stage.Status == theme.Running || stage.Status == theme.Failed {
			current = append(current, stage)
		}
	}
	var parts []string
	if n := count[theme.OK]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s %d done", s.Theme.Mark(theme.OK), n))
	}
	if len(current) > 0 {
		parts = append(parts, s.renderCurrentCounts(current))
	}
	if n := count[theme.Skipped]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s %d skipped", s.Theme.Mark(theme.Skipped), n))
	}
	if n := count[theme.Waiting]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s %d to come", s.Theme.Mark(theme.Waiting), n))
	}
	return strings.Join(parts, "  ")
}
