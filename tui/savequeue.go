package tui

import (
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// saveQueue runs what must not be lost in the background, one job at a time: it saves secrets and the draft. The draft is saved
// once all other jobs have ended; versions in between are skipped.
type saveQueue struct {
	queue   []func() tea.Msg
	save    func() func() tea.Msg // takes a snapshot of the draft and returns what saves it
	dirty   bool
	running func() tea.Msg // runs once, whoever calls it first
}

// saveDoneMsg is sent when the running job has ended.
type saveDoneMsg struct{}

func (c *saveQueue) enqueue(job func() tea.Msg) { c.queue = append(c.queue, job) }

// startNext does nothing while a job is running.
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

// waitResult waits for the running job and returns its result.
func (c *saveQueue) waitResult() tea.Msg {
	if c.running == nil {
		return nil
	}
	run := c.running
	c.running = nil
	return run()
}

// finish runs all remaining jobs and passes their results to hear.
func (c *saveQueue) finish(hear func(tea.Msg)) {
	for c.running != nil || c.takeNext() {
		hear(c.waitResult())
	}
}
