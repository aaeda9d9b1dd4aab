package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// querySize asks the terminal for its size again.
type querySize struct{}

// requestSize asks for another look at a terminal that has no size. It gets one soon, and the signal of that may come
// before bubbletea listens.
func requestSize(message tea.Msg) tea.Cmd {
	size, told := message.(tea.WindowSizeMsg)
	if !told || size.Width > 0 && size.Height > 0 {
		return nil
	}
	return tea.Tick(time.Second/4, func(time.Time) tea.Msg { return querySize{} })
}
