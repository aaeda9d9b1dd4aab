package app

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// TickMsg redraws what changes with the time.
type TickMsg struct{}

// Later returns a command that sends message after pause. A test has a clock of its own.
type Later func(pause time.Duration, message tea.Msg) tea.Cmd

// SendLater is Later by the wall clock.
func SendLater(pause time.Duration, message tea.Msg) tea.Cmd {
	return tea.Tick(pause, func(time.Time) tea.Msg { return message })
}

// Spawn returns a command that runs work in the background until it ends or is cancelled.
type Spawn func(work func(context.Context) tea.Msg) (cmd tea.Cmd, cancel context.CancelFunc)

// NewSpawn returns a Spawn whose work is cancelled with ctx.
func NewSpawn(ctx context.Context) Spawn {
	return func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		return withRecover(func() tea.Msg {
			defer cancel()
			return work(ctx)
		}), cancel
	}
}

// PanicMsg ends the program with the panic of background work as its error.
type PanicMsg struct{ Err error }

// withRecover turns a panic into a PanicMsg, so that the terminal is restored.
func withRecover(work func() tea.Msg) func() tea.Msg {
	return func() (message tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				message = PanicMsg{fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		return work()
	}
}
