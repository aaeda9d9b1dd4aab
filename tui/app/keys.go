package app

import (
	"io"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// InputClosedMsg is sent when no further key will come: the terminal is gone, or the input was never a terminal.
type InputClosedMsg struct{}

// newKeyReader reports the end of the input, which bubbletea keeps to itself, sends long pastes itself, and has bubbletea read reports of
// the mouse whole: the rest of one would be text. A terminal stays an *os.File, by which bubbletea recognizes it.
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
	send  func(tea.Msg)
	held  []byte // the beginning of a report, or of a paste
	paste longPaste
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
		isFull := n == len(p) // as bubbletea, take it that more follows
		n = k.paste.take(p[:n], k.send)
		whole := min(findPartialReport(p[:n]), findPartialKey(p[:n], isFull))
		k.held = append([]byte(nil), p[whole:n]...)
		if whole > 0 || n == 0 {
			return whole, nil
		}
	}
}

// altLetters have a binding with alt: b, d and f move and delete words, m is the mouse, the digits are screens.
const altLetters = "bdfm123456789"

// SplitEscape returns the keys of a message in which esc and another key, read in one piece, look like that key with alt. With alt
// nothing is bound to most keys; of the others nobody can say which was meant, and alt it is.
func SplitEscape(message tea.Msg) []tea.Msg {
	k, is := message.(tea.KeyMsg)
	if !is || !k.Alt || k.Paste {
		return []tea.Msg{message}
	}
	escape := tea.KeyMsg{Type: tea.KeyEsc}
	switch k.Type {
	case tea.KeyEsc: // twice is once
		return []tea.Msg{escape}
	case tea.KeyRunes:
		if len(k.Runes) == 1 && strings.ContainsRune(altLetters, k.Runes[0]) {
			return []tea.Msg{message}
		}
	case tea.KeyEnter, tea.KeyTab, tea.KeySpace:
	default:
		return []tea.Msg{message}
	}
	k.Alt = false
	return []tea.Msg{escape, k}
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
