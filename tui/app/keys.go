package app

import (
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
)

// InputClosedMsg is sent when no further key will come: the terminal is gone, or the input was never a terminal.
type InputClosedMsg struct{}

// newKeyReader reports the end of the input, which bubbletea keeps to itself, and has it read reports of the mouse whole: the rest of
// one would be text. A terminal stays an *os.File, by which bubbletea recognizes it.
func newKeyReader(in io.Reader, send func(tea.Msg)) io.Reader {
	if file, is := in.(*os.File); is {
		return &terminalReader{file, keyReader{Reader: file, send: send}}
	}
	return &keyReader{Reader: in, send: send}
}

type terminalReader struct {
	*os.File
	keys keyReader
}

func (t *terminalReader) Read(p []byte) (int, error) { return t.keys.Read(p) }

type keyReader struct {
	io.Reader
	send func(tea.Msg)
	held []byte // the beginning of a report
}

func (k *keyReader) Read(p []byte) (int, error) {
	for {
		n := copy(p, k.held)
		k.held = k.held[n:]
		read, err := k.Reader.Read(p[n:])
		n += read
		if err != nil {
			go k.send(InputClosedMsg{})
			return n, err
		}
		whole := findPartialReport(p[:n])
		k.held = append([]byte(nil), p[whole:n]...)
		if whole > 0 || n == 0 {
			return whole, nil
		}
	}
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
