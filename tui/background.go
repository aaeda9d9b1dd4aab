package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// sendAfterFunc returns a command that sends message after pause.
type sendAfterFunc func(pause time.Duration, message tea.Msg) tea.Cmd

func sendAfter(pause time.Duration, message tea.Msg) tea.Cmd {
	return tea.Tick(pause, func(time.Time) tea.Msg { return message })
}

// spawnFunc returns a command that runs work in the background until it ends or is cancelled.
type spawnFunc func(work func(context.Context) tea.Msg) (cmd tea.Cmd, cancel context.CancelFunc)

func newSpawner(ctx context.Context) spawnFunc {
	return func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		ctx, cancel := context.WithCancel(ctx)
		return withRecover(func() tea.Msg {
			defer cancel()
			return work(ctx)
		}), cancel
	}
}

type panicMsg struct{ err error }

// withRecover turns a panic into a message, so that the terminal is restored.
func withRecover(work func() tea.Msg) func() tea.Msg {
	return func() (message tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				message = panicMsg{fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
			}
		}()
		return work()
	}
}
