package session

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// terminal is a pseudo terminal.
type terminal struct {
	keyboard *os.File // our end
	tty      *os.File // the program's end, kept open so that its settings can be read in the end
	before   unix.Termios
}

func openTerminal(width, height int) (t terminal, err error) {
	keyboard, tty, err := pty.Open()
	if err != nil {
		return t, err
	}
	t.tty = tty
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil { //nolint:gosec // cells
		return t, err
	}
	if t.before, err = t.settings(); err != nil {
		return t, err
	}
	t.keyboard, err = pollable(keyboard)
	return t, err
}

func (t terminal) settings() (unix.Termios, error) {
	after, err := unix.IoctlGetTermios(int(t.tty.Fd()), unix.TCGETS)
	if err != nil {
		return unix.Termios{}, fmt.Errorf("read the terminal's settings: %w", err)
	}
	return *after, nil
}

// pollable returns a file whose Close ends the reads that are under way.
func pollable(file *os.File) (*os.File, error) {
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	err = errors.Join(syscall.SetNonblock(fd, true), file.Close())
	return os.NewFile(uintptr(fd), file.Name()), err //nolint:gosec // a file descriptor
}
