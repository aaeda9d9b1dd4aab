package app

import (
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
)

// InputClosedMsg is sent when no further key will come: the terminal is gone, or the input was never a terminal.
type InputClosedMsg struct{}

// newKeyReader reports the end of the input, which bubbletea keeps to itself. A terminal stays an *os.File, by which
// bubbletea recognizes it.
func newKeyReader(in io.Reader, send func(tea.Msg)) io.Reader {
	if file, is := in.(*os.File); is {
		return terminalReader{file, send}
	}
	return keyReader{in, send}
}

type terminalReader struct {
	*os.File
	send func(tea.Msg)
}

func (k terminalReader) Read(p []byte) (int, error) { return readKeys(k.File, p, k.send) }

type keyReader struct {
	io.Reader
	send func(tea.Msg)
}

func (k keyReader) Read(p []byte) (int, error) { return readKeys(k.Reader, p, k.send) }

func readKeys(r io.Reader, p []byte, send func(tea.Msg)) (int, error) {
	n, err := r.Read(p)
	if err != nil {
		go send(InputClosedMsg{})
	}
	return n, err
}

// NormalizeEscape turns two esc into one: read in one piece they look like alt+esc, which has no binding.
func NormalizeEscape(message tea.Msg) tea.Msg {
	if k, is := message.(tea.KeyMsg); is && k.Type == tea.KeyEsc {
		k.Alt = false
		return k
	}
	return message
}

// SplitRunes returns the runes of a message one by one: those that are typed fast come in one message. A paste, and any other
// message, stays as it is.
func SplitRunes(message tea.Msg) []tea.Msg {
	k, is := message.(tea.KeyMsg)
	if !is || k.Type != tea.KeyRunes || k.Paste || len(k.Runes) < 2 {
		return []tea.Msg{message}
	}
	var keys []tea.Msg
	for _, r := range k.Runes {
		keys = append(keys, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt})
	}
	return keys
}
