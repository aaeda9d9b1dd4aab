package dashboard

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
)

func TestForwardEvents_Batches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan provisioner.Event)
		go func() {
			for range 3000 {
				time.Sleep(time.Millisecond)
				events <- provisioner.Event{}
			}
			close(events)
		}()
		began, bundles, count, ended := time.Now(), 0, 0, false
		forwardEvents(events, func(m tea.Msg) {
			switch m := m.(type) {
			case eventsMsg:
				bundles++
				count += len(m)
			case eventsClosedMsg:
				ended = true
			}
		})
		seconds := int(time.Since(began).Seconds()) + 1
		if count != 3000 || !ended || bundles > 2*seconds*framesPerSecond { // one per half frame
			t.Errorf("%d events in %d bundles in %d s, ended %v", count, bundles, seconds, ended)
		}
	})
}

func start(ctx context.Context, term *tuitest.Terminal, events <-chan provisioner.Event, stop func()) <-chan error {
	end := make(chan error, 1)
	go func() {
		end <- runScreen(ctx, Options{
			Title: "c-demo-1", Plan: demoPlan(), Events: events, Stop: stop, In: term.TTY, Out: term.TTY, NoColor: true,
		})
	}()
	return end
}

func TestRun_FinishedRestoresTerminal(t *testing.T) {
	term, events := tuitest.NewTerminal(t), make(chan provisioner.Event)
	end := start(t.Context(), term, events, func() {})
	for _, e := range complete().events {
		events <- e
	}
	close(events)
	term.Await(t, "DONE")
	if !term.Shows(tuitest.EnterScreen) || term.Shows(tuitest.LeaveScreen) {
		t.Error("the dashboard is not on a screen of its own")
	}
	term.Press(t, "q")
	if err := <-end; err != nil {
		t.Error(err)
	}
	term.Await(t, tuitest.LeaveScreen)
}

func TestRun_LeavingDoesNotBlock(t *testing.T) {
	term, events := tuitest.NewTerminal(t), make(chan provisioner.Event)
	stopped := make(chan struct{})
	end := start(t.Context(), term, events, sync.OnceFunc(func() { close(stopped) }))
	for _, e := range middle().events {
		events <- e
	}
	term.Await(t, "WAITING FOR")
	term.Press(t, "\x03")
	term.Await(t, "Quit?")
	term.Press(t, "\x03")
	<-stopped
	term.Await(t, "STOPPING")
	term.Press(t, "\x03")
	if err := <-end; !errors.Is(err, ErrLeft) {
		t.Errorf("leaving early returns %v", err)
	}
	for range 50 {
		events <- provisioner.Event{}
	}
	close(events)
	term.Await(t, tuitest.LeaveScreen)
}

func TestRun_ContextEndRestoresTerminal(t *testing.T) {
	term, events := tuitest.NewTerminal(t), make(chan provisioner.Event)
	defer close(events)
	reason := errors.New("hung up")
	ctx, cancel := context.WithCancelCause(t.Context())
	end := start(ctx, term, events, func() {})
	term.Await(t, "STARTING")
	cancel(reason)
	if err := <-end; !errors.Is(err, reason) {
		t.Errorf("the end of the context returns %v", err)
	}
	term.Await(t, tuitest.LeaveScreen)
}

func TestRun_PanicRestoresTerminal(t *testing.T) {
	term, events := tuitest.NewTerminal(t), make(chan provisioner.Event)
	defer close(events)
	err := runScreen(t.Context(), Options{
		Events: events, In: term.TTY, Out: term.TTY, NoColor: true, Stop: func() {},
		Now: func() time.Time { panic("the clock is broken") },
	})
	if err == nil || !strings.Contains(err.Error(), "the clock is broken") {
		t.Errorf("a panic returns %v", err)
	}
	term.Await(t, tuitest.LeaveScreen)
}

func TestRun_LostTerminalEndsWithRun(t *testing.T) {
	for _, early := range []bool{true, false} {
		term, events := tuitest.NewTerminal(t), make(chan provisioner.Event)
		end := start(t.Context(), term, events, func() {})
		term.Await(t, "STARTING")
		if early {
			term.HangUp(t)
		}
		for _, e := range complete().events {
			events <- e
		}
		if close(events); !early {
			term.Await(t, "DONE")
			term.HangUp(t)
		}
		if err := <-end; err != nil {
			t.Error(err)
		}
	}
}
