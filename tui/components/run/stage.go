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

// stage is all steps of one phase of the plan.
type stage struct {
	Name      string
	Status    theme.Status
	Steps     []provisioner.StepView
	Succeeded int // steps that succeeded
}

// groupStages groups steps by phase, in the order in which the phases first appear.
func groupStages(steps []provisioner.StepView) []stage {
	var stages []stage
	for _, step := range steps {
		i := slices.IndexFunc(stages, func(s stage) bool { return s.Name == step.Phase })
		if i < 0 {
			stages = append(stages, stage{Name: step.Phase})
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

func (s stage) computeStatus() theme.Status {
	count, missed := map[theme.Status]int{}, 0
	for _, step := range s.Steps {
		if count[mapStepStatus(step)]++; step.Unreached {
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

// interval returns when the stage began, and when it ended or now; zero times if it has not begun.
func (s stage) interval(now time.Time) (began, ended time.Time) {
	for _, step := range s.Steps {
		if !step.Began.IsZero() && (began.IsZero() || step.Began.Before(began)) {
			began = step.Began
		}
		if step.Ended.After(ended) {
			ended = step.Ended
		}
	}
	if s.Status == theme.Running && !began.IsZero() {
		ended = now
	}
	return began, ended
}

// mapStepStatus returns the status of a step.
func mapStepStatus(step provisioner.StepView) theme.Status {
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
	stages := groupStages(s.Steps)
	line := ""
	for _, draw := range []func([]stage) string{s.renderCounts, s.renderCurrentCounts, s.renderNames, s.renderCollapsed} {
		if line = draw(stages); cells.Count(line) <= width {
			break
		}
	}
	return cells.Fill([]string{line}, width, height)
}

func (s Strip) renderCounts(stages []stage) string {
	return s.renderEach(stages, func(stage stage) bool { return stage.Status != theme.Waiting })
}

func (s Strip) renderCurrentCounts(stages []stage) string {
	return s.renderEach(stages, func(stage stage) bool { return stage.Status == theme.Running || stage.Status == theme.Failed })
}

func (s Strip) renderNames(stages []stage) string {
	return s.renderEach(stages, func(stage) bool { return false })
}

func (s Strip) renderEach(stages []stage, counts func(stage) bool) string {
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

func (s Strip) renderName(stage stage) string {
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
func (s Strip) renderCollapsed(stages []stage) string {
	count := map[theme.Status]int{}
	var current []stage
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
		parts = append(parts, fmt.Sprintf("%s %d pending", s.Theme.Mark(theme.Waiting), n))
	}
	return strings.Join(parts, "  ")
}
