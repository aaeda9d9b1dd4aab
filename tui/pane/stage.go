package pane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
)

// Stage is all steps of one phase of the plan.
type Stage struct {
	Name   string
	Status Status
	Steps  []provisioner.StepView
	Ended  int // steps that ended well
}

// Stages groups steps by phase, in the order in which the phases first appear.
func Stages(steps []provisioner.StepView) []Stage {
	var stages []Stage
	for _, step := range steps {
		i := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == step.Phase })
		if i < 0 {
			stages = append(stages, Stage{Name: step.Phase})
			i = len(stages) - 1
		}
		stages[i].Steps = append(stages[i].Steps, step)
		if EndedWell(step) {
			stages[i].Ended++
		}
	}
	for i := range stages {
		stages[i].Status = stages[i].status()
	}
	return stages
}

func (s Stage) status() Status {
	count, missed := map[Status]int{}, 0
	for _, step := range s.Steps {
		if count[StepStatus(step)]++; step.Unreached {
			missed++
		}
	}
	switch all := len(s.Steps); {
	case count[Failed] > 0:
		return Failed
	case missed > 0 && count[Running] == 0:
		return Skipped
	case count[Skipped] == all:
		return Skipped
	case count[OK]+count[Skipped] == all:
		return OK
	case count[Waiting] == all:
		return Waiting
	}
	return Running
}

// Took returns how long the stage has been worked on, or false if it has not begun.
func (s Stage) Took(now time.Time) (time.Duration, bool) {
	var began, ended time.Time
	for _, step := range s.Steps {
		if !step.Began.IsZero() && (began.IsZero() || step.Began.Before(began)) {
			began = step.Began
		}
		if step.Ended.After(ended) {
			ended = step.Ended
		}
	}
	if s.Status == Running {
		ended = now
	}
	return ended.Sub(began), !began.IsZero()
}

// StepStatus returns how a step is.
func StepStatus(step provisioner.StepView) Status {
	switch step.State {
	case provisioner.Started:
		return Running
	case provisioner.Done:
		return OK
	case provisioner.Failed:
		return Failed
	case provisioner.Skipped:
		return Skipped
	}
	return Waiting
}

// EndedWell tells whether a step is done, or was skipped because there was nothing to do.
func EndedWell(step provisioner.StepView) bool {
	return step.State == provisioner.Done || step.State == provisioner.Skipped && !step.Unreached
}

// Strip is one line with the state of every stage.
type Strip struct {
	Theme Theme
	Steps []provisioner.StepView
}

// View draws the line as detailed as the width allows.
func (s Strip) View(width, height int) string {
	stages := Stages(s.Steps)
	line := ""
	for _, draw := range []func([]Stage) string{s.counted, s.currentCounted, s.named, s.collapsed} {
		if line = draw(stages); cells(line) <= width {
			break
		}
	}
	return Fill([]string{line}, width, height)
}

func (s Strip) counted(stages []Stage) string {
	return s.each(stages, func(stage Stage) bool { return stage.Status != Waiting })
}

func (s Strip) currentCounted(stages []Stage) string {
	return s.each(stages, func(stage Stage) bool { return stage.Status == Running || stage.Status == Failed })
}

func (s Strip) named(stages []Stage) string {
	return s.each(stages, func(Stage) bool { return false })
}

func (s Strip) each(stages []Stage, counts func(Stage) bool) string {
	var parts []string
	for _, stage := range stages {
		part := s.Theme.Mark(stage.Status) + " " + s.name(stage)
		if counts(stage) {
			part += s.Theme.Dim.Render(fmt.Sprintf(" %d/%d", stage.Ended, len(stage.Steps)))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "  ")
}

func (s Strip) name(stage Stage) string {
	name := stage.Name
	if name == "" {
		name = "steps"
	}
	if stage.Status == Running || stage.Status == Failed {
		return s.Theme.Bold.Render(name)
	}
	return name
}

// collapsed names only the stages that need attention.
func (s Strip) collapsed(stages []Stage) string {
	count := map[Status]int{}
	var current []Stage
	for _, stage := range stages {
		if count[stage.Status]++; stage.Status == Running || stage.Status == Failed {
			current = append(current, stage)
		}
	}
	var parts []string
	if n := count[OK]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s %d done", s.Theme.Mark(OK), n))
	}
	if len(current) > 0 {
		parts = append(parts, s.currentCounted(current))
	}
	if n := count[Skipped]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s %d skipped", s.Theme.Mark(Skipped), n))
	}
	if n := count[Waiting]; n > 0 {
		parts = append(parts, fmt.Sprintf("%s %d to come", s.Theme.Mark(Waiting), n))
	}
	return strings.Join(parts, "  ")
}
