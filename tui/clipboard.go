package tui

import (
	"io"
	"os"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"
)

// copiedMsg is the end of giving a text to the terminal's clipboard.
type copiedMsg struct {
	text string
	err  error
}

// copyToClipboard gives a text to the clipboard of the terminal, which may be on another machine. Nobody tells whether it took it.
func copyToClipboard(out io.Writer, text string) tea.Cmd {
	return func() tea.Msg {
		_, err := io.WriteString(out, encodeClipboard(text, os.Getenv))
		return copiedMsg{text, err}
	}
}

// encodeClipboard is what terminals take as a text for the clipboard. tmux takes it itself or hands it on, depending on
// how it is set up, so it gets both; screen only hands it on.
func encodeClipboard(text string, env func(string) string) string {
	sequence := osc52.New(text)
	switch {
	case env("TMUX") != "":
		return sequence.String() + sequence.Tmux().String()
	case strings.HasPrefix(env("TERM"), "screen"):
		return sequence.Screen().String()
	}
	return sequence.String()
}
