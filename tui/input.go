package tui

import (
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
)

// inputClosedMsg is sent when no further key will come: the terminal is gone, or the input was never a terminal.
type inputClosedMsg struct{}

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
		go send(inputClosedMsg{})
	}
	return n, err
}
