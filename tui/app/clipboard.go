package app

import (
	"io"
	"os"
	"strings"

	"github.com/aymanbagabas/go-osc52/v2"
	tea "github.com/charmbracelet/bubbletea"
)

// CopiedMsg is sent once a text was copied, or why it was not.
type CopiedMsg struct {
	Text string
	Err  error
}

// CopyToClipboard copies a text to the clipboard of the terminal, which may be on another machine. Terminals do not acknowledge
// it.
func CopyToClipboard(out io.Writer, text string) tea.Cmd {
	return func() tea.Msg {
		_, err := io.WriteString(out, encodeClipboard(text, os.Getenv))
		return CopiedMsg{text, err}
	}
}

// encodeClipboard returns the escape sequence that sets the clipboard. tmux handles it itself or passes it on, depending on its
// configuration, so it gets both forms; screen only passes it on.
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
