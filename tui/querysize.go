package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

type querySize struct{}

// requestSize repeats the query while the terminal has no size. It gets one soon, and the signal of that may come before
// bubbletea listens for it.
func requestSize(message tea.Msg) tea.Cmd {
	size, told := message.(tea.WindowSizeMsg)
	if !told || size.Width > 0 && size.Height > 0 {
		return nil
	}
	return tea.Tick(time.Second/4, func(time.Time) tea.Msg { return querySize{} })
}
