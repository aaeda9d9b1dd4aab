package tui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/provisioner"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"
)

func TestABusyRunIsToldInBundles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan provisioner.Event)
		go func() {
			for range 3000 {
				time.Sleep(time.Millisecond)
				events <- provisioner.Event{}
			}
			close(events)
		}()
		began, bundles, told, ended := time.Now(), 0, 0, false
		forwardEvents(events, func(m tea.Msg) {
			switch m := m.(type) {
			case eventsMsg:
				bundles++
				told += len(m)
			case eventsClosedMsg:
				ended = true
			}
		})
		seconds := int(time.Since(began).Seconds()) + 1
		if told != 3000 || !ended || bundles > 2*seconds*framesPerSecond { // one per half frame
			t.Errorf("%d events in %d bundles in %d s, ended %v", told, bundles, seconds, ended)
		}
	})
}

// terminal is a pseudo terminal that records its output.
type terminal struct {
	keyboard, tty *os.File
	mu            sync.Mutex
	drawn         bytes.Buffer
	changed       chan struct{}
}

func newTerminal(t testing.TB) *terminal {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	term := &terminal{keyboard: pollable(t, keyboard), tty: tty, changed: make(chan struct{}, 1)}
	t.Cleanup(func() { _, _ = tty.Close(), term.keyboard.Close() })
	go term.read()
	return term
}

// pollable returns a file whose Close ends pending reads.
func pollable(t testing.TB, file *os.File) *os.File {
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

func (term *terminal) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := term.keyboard.Read(buffer)
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

func (term *terminal) shows(text string) bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	return strings.Contains(term.drawn.String(), text)
}

// await waits until text was drawn.
func (term *terminal) await(t testing.TB, text string) {
	t.Helper()
	deadline := time.After(10 * time.Minute) // on a slow and busy machine
	for !term.shows(text) {
		select {
		case <-term.changed:
		case <-deadline:
			t.Fatalf("%q was not drawn", text)
		}
	}
}

func (term *terminal) press(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(term.keyboard, keys); err != nil {
		t.Fatal(err)
	}
}

// hangUp closes the terminal as a lost connection does.
func (term *terminal) hangUp(t *testing.T) {
	t.Helper()
	if err := term.keyboard.Close(); err != nil {
		t.Fatal(err)
	}
}

func start(ctx context.Context, term *terminal, events <-chan provisioner.Event, stop func()) <-chan error {
	end := make(chan error, 1)
	go func() {
		end <- runDashboard(ctx, Options{
			Title: "c-demo-1", Plan: demoPlan(), Events: events, Stop: stop, In: term.tty, Out: term.tty, NoColor: true,
		})
	}()
	return end
}

const enterScreen, leaveScreen = "\x1b[?1049h", "\x1b[?1049l"

func TestAFinishedRunGivesTheTerminalBack(t *testing.T) {
	term, events := newTerminal(t), make(chan provisioner.Event)
	end := start(t.Context(), term, events, func() {})
	for _, e := range complete().events {
		events <- e
	}
	close(events)
	term.await(t, "DONE")
	if !term.shows(enterScreen) || term.shows(leaveScreen) {
		t.Error("the dashboard is not on a screen of its own")
	}
	term.press(t, "q")
	if err := <-end; err != nil {
		t.Error(err)
	}
	term.await(t, leaveScreen)
}

func TestLeavingEarlyDoesNotHoldTheRunUp(t *testing.T) {
	term, events := newTerminal(t), make(chan provisioner.Event)
	stopped := make(chan struct{})
	end := start(t.Context(), term, events, sync.OnceFunc(func() { close(stopped) }))
	for _, e := range middle().events {
		events <- e
	}
	term.await(t, "WAITING FOR")
	term.press(t, "\x03")
	term.await(t, "Leave?")
	term.press(t, "\x03")
	<-stopped
	term.await(t, "STOPPING")
	term.press(t, "\x03")
	if err := <-end; !errors.Is(err, ErrLeft) {
		t.Errorf("leaving early returns %v", err)
	}
	for range 50 {
		events <- provisioner.Event{}
	}
	close(events)
	term.await(t, leaveScreen)
}

func TestTheEndOfTheContextGivesTheTerminalBack(t *testing.T) {
	term, events := newTerminal(t), make(chan provisioner.Event)
	defer close(events)
	reason := errors.New("hung up")
	ctx, cancel := context.WithCancelCause(t.Context())
	end := start(ctx, term, events, func() {})
	term.await(t, "STARTING")
	cancel(reason)
	if err := <-end; !errors.Is(err, reason) {
		t.Errorf("the end of the context returns %v", err)
	}
	term.await(t, leaveScreen)
}

func TestAPanicGivesTheTerminalBack(t *testing.T) {
	term, events := newTerminal(t), make(chan provisioner.Event)
	defer close(events)
	err := runDashboard(t.Context(), Options{
		Events: events, In: term.tty, Out: term.tty, NoColor: true, Stop: func() {},
		Now: func() time.Time { panic("the clock is broken") },
	})
	if err == nil || !strings.Contains(err.Error(), "the clock is broken") {
		t.Errorf("a panic returns %v", err)
	}
	term.await(t, leaveScreen)
}

func TestADashboardWhoseTerminalIsGoneLeavesWhenTheRunEnds(t *testing.T) {
	for _, early := range []bool{true, false} {
		term, events := newTerminal(t), make(chan provisioner.Event)
		end := start(t.Context(), term, events, func() {})
		term.await(t, "STARTING")
		if early {
			term.hangUp(t)
		}
		for _, e := range complete().events {
			events <- e
		}
		if close(events); !early {
			term.await(t, "DONE")
			term.hangUp(t)
		}
		if err := <-end; err != nil {
			t.Error(err)
		}
	}
}
