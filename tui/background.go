package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// timer brings a message after a pause.
type timer func(pause time.Duration, message tea.Msg) tea.Cmd

func afterwards(pause time.Duration, message tea.Msg) tea.Cmd {
	return tea.Tick(pause, func(time.Time) tea.Msg { return message })
}

// spawner returns a command that runs work in the background until it ends or is cancelled.
type spawner func(work func(context.Context) tea.Msg) (cmd tea.Cmd, cancel context.CancelFunc)

// inBackground returns a spawner whose work ends with ctx at the latest.
func inBackground(ctx context.Context) spawner {
	return func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		return careful(func() tea.Msg {
			defer cancel()
			return work(ctx)
		}), cancel
	}
}

// crashed is a panic of work in the background.
type crashed struct{ err error }

// careful turns a panic into a message, so that the terminal is given back in order.
func careful(work func() tea.Msg) func() tea.Msg {
	return func() (message tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				message = crashed{fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		return work()
	}
}
