// Package session drives a program as a person does: it types on a pseudo terminal, looks at the screen that an emulator
// makes of what is drawn there, and waits until the screen shows what it waits for.
package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/sys/unix"
)

// Options say what is run, and in which terminal.
type Options struct {
	Program       string
	Args          []string
	Dir           string   // where it runs; empty for here
	Env           []string // "NAME=value", nothing else
	Width, Height int      // of the terminal in cells; 0 for a terminal that does not know its size
	Patience      time.Duration
}

// usualPatience is how long a screen is waited for. It comes within a second where a machine has nothing else to do; what is
// so long is for one that is slow, and busy with other things.
const usualPatience = 10 * time.Minute

// Session is a program on a terminal. Its methods end the test when what they wait for does not come.
type Session struct {
	t        testing.TB
	patience time.Duration
	keyboard *os.File // our end of the terminal
	tty      *os.File // the program's end, kept open so that its settings can be looked at in the end
	before   unix.Termios
	command  *exec.Cmd
	drained  chan struct{} // closed when everything that was drawn was read
	exited   chan struct{} // closed when the program has ended

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced whenever something was drawn
	emulator vt10x.Terminal
	shown    Screen // as it was when it was last drawn to its end
	drawn    transcript
	answers  answers
}

// Start runs a program on a terminal of its own. What is left of it is killed at the end of the test.
func Start(t testing.TB, o Options) *Session {
	t.Helper()
	s := &Session{
		t: t, patience: o.Patience, drained: make(chan struct{}), exited: make(chan struct{}), changed: make(chan struct{}),
		emulator: vt10x.New(vt10x.WithSize(max(o.Width, 80), max(o.Height, 24)), vt10x.WithWriter(io.Discard)),
	}
	if s.patience == 0 {
		s.patience = usualPatience
	}
	if o.Width > 0 {
		s.emulator.Resize(o.Width, o.Height)
	}
	if err := s.open(o); err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	s.drawn.began, s.shown = time.Now(), look(s.emulator)
	if err := s.run(t, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	go s.read()
	go s.await()
	return s
}

func (s *Session) open(o Options) error {
	keyboard, tty, err := pty.Open()
	if err != nil {
		return err
	}
	s.tty = tty
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: uint16(o.Height), Cols: uint16(o.Width)}); err != nil { //nolint:gosec // cells
		return err
	}
	settings, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	s.before = *settings
	s.keyboard, err = pollable(keyboard)
	return err
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

func (s *Session) run(t testing.TB, o Options) error {
	s.command = exec.CommandContext(t.Context(), o.Program, o.Args...)
	s.command.Dir, s.command.Env = o.Dir, o.Env
	s.command.Stdin, s.command.Stdout, s.command.Stderr = s.tty, s.tty, s.tty
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return s.command.Start()
}

// read draws on the emulator until the terminal is closed.
func (s *Session) read() {
	defer close(s.drained)
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.keyboard.Read(buffer)
		s.mu.Lock()
		_, _ = s.emulator.Write(s.drawn.add(buffer[:n]))
		if screen := look(s.emulator); err != nil || !screen.Alternate || !s.drawn.unfinished {
			s.shown = screen
		}
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await hears of the program's end. What it has drawn last is read before.
func (s *Session) await() {
	defer close(s.exited)
	_ = s.command.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn.after, s.drawn.settings = s.settings()
	_ = s.tty.Close() // the reader comes to an end
}

func (s *Session) settings() (unix.Termios, error) {
	after, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		return unix.Termios{}, fmt.Errorf("look at the terminal's settings: %w", err)
	}
	return *after, nil
}

// end kills what is left of the program.
func (s *Session) end() {
	_ = s.command.Process.Kill()
	<-s.exited
	<-s.drained
	_ = s.keyboard.Close()
}
