package session

import (
	"fmt"
	"strings"
	"syscall"
	"time"
)

// Screen returns what is on the screen now. A frame that is being drawn is seen when it was drawn to its end.
func (s *Session) Screen() Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// Drawn returns how many bytes the program has written to its terminal so far.
func (s *Session) Drawn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn.bytes
}

// WaitFor waits until the screen is as it shall be. What says what is waited for.
func (s *Session) WaitFor(what string, ok func(Screen) bool) Screen {
	s.t.Helper()
	deadline := time.NewTimer(s.timeout)
	defer deadline.Stop()
	for {
		s.mu.Lock()
		screen, changed := s.shown, s.changed
		s.mu.Unlock()
		if ok(screen) {
			return screen
		}
		select {
		case <-changed:
		case <-s.drained:
			if ok(s.Screen()) {
				return s.Screen()
			}
			s.fail("the program ended before there was %s", what)
		case <-deadline.C:
			s.fail("for %s there was not %s", s.timeout, what)
		}
	}
}

// Expect waits until all of these texts are on the screen at once.
func (s *Session) Expect(texts ...string) Screen {
	s.t.Helper()
	return s.WaitFor(fmt.Sprintf("%q", texts), func(screen Screen) bool {
		for _, text := range texts {
			if !screen.Has(text) {
				return false
			}
		}
		return true
	})
}

// ExpectNot waits until a text is no longer on the screen.
func (s *Session) ExpectNot(text string) Screen {
	s.t.Helper()
	return s.WaitFor(fmt.Sprintf("no %q", text), func(screen Screen) bool { return !screen.Has(text) })
}

// ExpectMatch waits until a regular expression finds something on the screen, and returns that and its groups.
func (s *Session) ExpectMatch(expression string) []string {
	s.t.Helper()
	var found []string
	s.WaitFor(fmt.Sprintf("/%s/", expression), func(screen Screen) bool {
		found = screen.Find(expression)
		return found != nil
	})
	return found
}

// Idle returns how many bytes are drawn while nobody presses a key for that long.
func (s *Session) Idle(span time.Duration) int {
	before, end := s.Drawn(), time.NewTimer(span)
	defer end.Stop()
	select {
	case <-end.C:
	case <-s.drained:
	}
	return s.Drawn() - before
}

// Signal sends the program a signal.
func (s *Session) Signal(signal syscall.Signal) {
	s.t.Helper()
	if err := s.command.Process.Signal(signal); err != nil {
		s.fail("send %s: %v", signal, err)
	}
}

// Kill ends the program without a warning.
func (s *Session) Kill() {
	s.t.Helper()
	s.Signal(syscall.SIGKILL)
	<-s.exited
}

// Exit waits until the program ends by itself, and returns its exit code.
func (s *Session) Exit() int {
	s.t.Helper()
	deadline := time.NewTimer(s.timeout)
	defer deadline.Stop()
	select {
	case <-s.exited:
		<-s.drained
		return s.command.ProcessState.ExitCode()
	case <-deadline.C:
		s.fail("the program did not end within %s", s.timeout)
		return -1
	}
}

// Pid returns the program's process id.
func (s *Session) Pid() int { return s.command.Process.Pid }

// Transcript returns everything that was drawn, with its control sequences.
func (s *Session) Transcript() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn.text()
}

// fail ends the test, and shows the screen.
func (s *Session) fail(format string, args ...any) {
	s.t.Helper()
	tail := s.Transcript()
	tail = tail[max(0, len(tail)-300):]
	s.t.Fatalf("%s\n%s\nlast drawn: %s", fmt.Sprintf(format, args...), s.Screen().framed(), strings.TrimSpace(fmt.Sprintf("%q", tail)))
}

// HangUp takes the terminal away, as a connection that is lost does.
func (s *Session) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.tty.Close()
	_ = s.keyboard.Close()
}
