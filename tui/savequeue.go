package tui

import (
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// saveQueue does what must not be lost, one thing after the other and beside the screen: it keeps secrets and saves the
// draft. The newest draft is saved once everything else is done; what lies between is skipped.
type saveQueue struct {
	queue   []func() tea.Msg
	save    func() func() tea.Msg // takes a snapshot of the draft and returns what saves it
	dirty   bool
	running func() tea.Msg // runs once, whoever calls it first
}

// saveDoneMsg says that what was running has ended.
type saveDoneMsg struct{}

// enqueue adds something to do.
func (c *saveQueue) enqueue(job func() tea.Msg) { c.queue = append(c.queue, job) }

// startNext begins with the next thing to do, unless something is under way.
func (c *saveQueue) startNext() tea.Cmd {
	if c.running != nil || !c.takeNext() {
		return nil
	}
	run := c.running
	return func() tea.Msg {
		run()
		return saveDoneMsg{}
	}
}

func (c *saveQueue) takeNext() bool {
	switch {
	case len(c.queue) > 0:
		c.running, c.queue = sync.OnceValue(withRecover(c.queue[0])), c.queue[1:]
	case c.dirty:
		c.running, c.dirty = sync.OnceValue(withRecover(c.save())), false
	default:
		return false
	}
	return true
}

// waitResult returns what came of the thing that was running; it waits for it if need be.
func (c *saveQueue) waitResult() tea.Msg {
	if c.running == nil {
		return nil
	}
	run := c.running
	c.running = nil
	return run()
}

// finish does everything that is left, and gives the results to hear.
func (c *saveQueue) finish(hear func(tea.Msg)) {
	for c.running != nil || c.takeNext() {
		hear(c.waitResult())
	}
}
