package tui

import (
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
)

// deaf says that no key will come any more: the terminal is gone, or the input was never one.
type deaf struct{}

// input tells when keys end, which bubbletea keeps to itself. A terminal stays a terminal.
func input(in io.Reader, send func(tea.Msg)) io.Reader {
	if file, is := in.(*os.File); is {
		return keyboard{file, send}
	}
	return keys{in, send}
}

type keyboard struct {
	*os.File
	send func(tea.Msg)
}

func (k keyboard) Read(p []byte) (int, error) { return listen(k.File, p, k.send) }

type keys struct {
	io.Reader
	send func(tea.Msg)
}

func (k keys) Read(p []byte) (int, error) { return listen(k.Reader, p, k.send) }

func listen(r io.Reader, p []byte, send func(tea.Msg)) (int, error) {
	n, err := r.Read(p)
	if err != nil {
		go send(deaf{})
	}
	return n, err
}
