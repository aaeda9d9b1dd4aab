package tui

import (
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// clerk does what must not be lost, one thing after the other and beside the screen: it keeps secrets and saves the
// draft. The newest draft is saved once everything else is done; what lies between is skipped.
type clerk struct {
	queue   []func() tea.Msg
	save    func() func() tea.Msg // takes a snapshot of the draft and returns what saves it
	unsaved bool
	running func() tea.Msg // runs once, whoever calls it first
}

// delivered says that what was running has ended.
type delivered struct{}

// post adds something to do.
func (c *clerk) post(job func() tea.Msg) { c.queue = append(c.queue, job) }

// next begins with the next thing to do, unless something is under way.
func (c *clerk) next() tea.Cmd {
	if c.running != nil || !c.take() {
		return nil
	}
	run := c.running
	return func() tea.Msg {
		run()
		return delivered{}
	}
}

func (c *clerk) take() bool {
	switch {
	case len(c.queue) > 0:
		c.running, c.queue = sync.OnceValue(careful(c.queue[0])), c.queue[1:]
	case c.unsaved:
		c.running, c.unsaved = sync.OnceValue(careful(c.save())), false
	default:
		return false
	}
	return true
}

// result returns what came of the thing that was running; it waits for it if need be.
func (c *clerk) result() tea.Msg {
	if c.running == nil {
		return nil
	}
	run := c.running
	c.running = nil
	return run()
}

// finish does everything that is left, and gives the results to hear.
func (c *clerk) finish(hear func(tea.Msg)) {
	for c.running != nil || c.take() {
		hear(c.result())
	}
}
