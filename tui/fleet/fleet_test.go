package fleet

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"exoshift/tui/tuitest"
)

func newOptions() Options {
	o := Options{Title: "s3://fleet/prod", Columns: []string{"ID", "PHASE", "NODES"}, NoColor: true}
	for n, phase := range []string{"installed", "nodes", "installed"} {
		o.Rows = append(o.Rows, Row{
			ID: fmt.Sprintf("c-%d", n+1), Cells: []string{fmt.Sprintf("c-%d", n+1), phase, fmt.Sprintf("%d/9", 9-n)}, Keys: []string{fmt.Sprintf("c-%d", n+1), phase, fmt.Sprint(n)},
			Faulty: phase != "installed", Details: []string{"finding of " + phase + "\x1b[31m", "two", "three", "four"},
		})
	}
	return o
}

func newDriven(o Options) *screen {
	s := newScreen(o)
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 20})
	return s
}

func (s *screen) press(keys ...string) string {
	for _, name := range keys {
		s.Update(tuitest.NewKey(name))
	}
	return s.View()
}

// order returns the IDs from the top.
func (s *screen) order() string {
	var ids []string
	for _, row := range s.shown {
		ids = append(ids, row.ID)
	}
	return strings.Join(ids, " ")
}

func TestScreen_SortsAndFilters(t *testing.T) {
	s := newDriven(newOptions())
	for _, want := range []string{"s3://fleet/prod", "3 of 3 clusters, 1 need attention", "ID ↑", "c-1", "8/9", "finding of installed", "and 2 more", "open dashboard"} {
		if view := s.View(); !strings.Contains(view, want) || strings.Contains(view, "\x1b[31m") {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	s.press("s", "S")
	if got := s.order(); got != "c-2 c-1 c-3" {
		t.Errorf("by phase in reverse: %s", got)
	}
	s.press("/", "i", "n", "s", "t", "enter")
	if got := s.order(); got != "c-1 c-3" {
		t.Errorf("filtered: %s", got)
	}
	s.press("down", "esc")
	if got := s.order(); got != "c-2 c-1 c-3" || s.position.Selected != "c-3" {
		t.Errorf("without the filter: %s, the cursor is on %s", got, s.position.Selected)
	}
	s.press("s", "s", "S")
	if s.position.Selected != "c-3" || s.order() != "c-1 c-2 c-3" {
		t.Errorf("sorted by ID again: %s, the cursor is on %s", s.order(), s.position.Selected)
	}
}

func TestScreen_FitsAnySize(t *testing.T) {
	s := newDriven(newOptions())
	for _, size := range []tea.WindowSizeMsg{{Width: 200, Height: 60}, {Width: 80, Height: 24}, {Width: 20, Height: 8}, {Width: 5, Height: 3}, {Width: 1, Height: 1}} {
		s.Update(size)
		tuitest.CheckBlock(t, fmt.Sprintf("%dx%d", size.Width, size.Height), s.View(), size.Width, size.Height)
	}
}

func TestRun_OpensCluster(t *testing.T) {
	term := tuitest.NewTerminal(t)
	o := newOptions()
	o.In, o.Out = term.TTY, term.TTY
	o.Position.Selected = "c-2"
	type end struct {
		chosen string
		err    error
	}
	ended := make(chan end, 1)
	go func() {
		chosen, _, err := Run(context.WithoutCancel(t.Context()), o)
		ended <- end{chosen, err}
	}()
	term.Await(t, "need attention")
	term.Press(t, "\r")
	if got := <-ended; got.chosen != "c-2" || got.err != nil {
		t.Errorf("%+v", got)
	}
	term.Await(t, tuitest.LeaveScreen)
}
