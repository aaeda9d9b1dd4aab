package tui

import (
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
)

// inputClosedMsg says that no key will come any more: the terminal is gone, or the input was never one.
type inputClosedMsg struct{}

// newKeyReader tells when keys end, which bubbletea keeps to itself. A terminal stays a terminal.
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
