package tuitest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Sequences by which a program takes the whole screen and gives it back.
const (
	EnterScreen = "\x1b[?1049h"
	LeaveScreen = "\x1b[?1049l"
)

// Terminal is a pseudo terminal that records its output.
type Terminal struct {
	Keyboard, TTY *os.File
	mu            sync.Mutex
	drawn         bytes.Buffer
	changed       chan struct{}
}

// NewTerminal opens a terminal of 80 by 24 cells.
func NewTerminal(t testing.TB) *Terminal {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	term := &Terminal{Keyboard: newPollable(t, keyboard), TTY: tty, changed: make(chan struct{}, 1)}
	// TTY is left to the garbage collector: bubbletea queries its size from a goroutine that nobody waits for.
	t.Cleanup(func() { _ = term.Keyboard.Close() })
	go term.read()
	return term
}

// newPollable returns a file whose Close ends pending reads.
func newPollable(t testing.TB, file *os.File) *os.File {
	t.Helper()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.SetNonblock(fd, true), file.Close()); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), file.Name())
}

func (term *Terminal) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := term.Keyboard.Read(buffer)
		term.mu.Lock()
		term.drawn.Write(buffer[:n])
		term.mu.Unlock()
		select {
		case term.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Shows reports whether a text was drawn so far.
func (term *Terminal) Shows(text string) bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	return strings.Contains(term.drawn.String(), text)
}

// Await waits until a text was drawn.
func (term *Terminal) Await(t testing.TB, text string) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Minute) // on a slow and busy machine
	defer deadline.Stop()
	for !term.Shows(text) {
		select {
		case <-term.changed:
		case <-deadline.C:
			t.Fatalf("%q was not drawn", text)
		}
	}
}

// Press types keys as the terminal sends them.
func (term *Terminal) Press(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(term.Keyboard, keys); err != nil {
		t.Fatal(err)
	}
}

// HangUp closes the terminal as a lost connection does.
func (term *Terminal) HangUp(t *testing.T) {
	t.Helper()
	if err := term.Keyboard.Close(); err != nil {
		t.Fatal(err)
	}
}

// CheckPending fails if something ends within a moment.
func CheckPending[T any](t *testing.T, end <-chan T) {
	t.Helper()
	moment := time.NewTimer(100 * time.Millisecond)
	defer moment.Stop()
	select {
	case <-end:
		t.Fatal("it ended too early")
	case <-moment.C:
	}
}
