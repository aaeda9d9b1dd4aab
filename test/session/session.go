// Package session drives a program as a person does: it types on a pseudo terminal, looks at the screen that an emulator
// makes of what is drawn there, and waits until the screen shows what it waits for.
package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hinshun/vt10x"
)

// Options say what is run, and in which terminal.
type Options struct {
	Program       string
	Args          []string
	Dir           string   // where it runs; empty for here
	Env           []string // "NAME=value", nothing else
	Width, Height int      // of the terminal in cells; 0 for a terminal that does not know its size
	Timeout       time.Duration
}

// defaultTimeout is how long a screen is waited for. It comes within a second where a machine has nothing else to do; what is
// so long is for one that is slow, and busy with other things.
const defaultTimeout = 10 * time.Minute

// Session is a program on a terminal. Its methods end the test when what they wait for does not come.
type Session struct {
	terminal
	t       testing.TB
	timeout time.Duration
	command *exec.Cmd
	drained chan struct{} // closed when everything that was drawn was read
	exited  chan struct{} // closed when the program has ended

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
		t: t, timeout: o.Timeout, drained: make(chan struct{}), exited: make(chan struct{}), changed: make(chan struct{}),
		emulator: vt10x.New(vt10x.WithSize(max(o.Width, 80), max(o.Height, 24)), vt10x.WithWriter(io.Discard)),
	}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	if o.Width > 0 {
		s.emulator.Resize(o.Width, o.Height)
	}
	var err error
	if s.terminal, err = openTerminal(o.Width, o.Height); err != nil {
		t.Skip("no pseudo terminal:", err)
	}
	s.drawn.began, s.shown = time.Now(), readScreen(s.emulator)
	s.command = exec.CommandContext(t.Context(), o.Program, o.Args...)
	s.command.Dir, s.command.Env = o.Dir, o.Env
	s.command.Stdin, s.command.Stdout, s.command.Stderr = s.tty, s.tty, s.tty
	s.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	go s.read()
	go s.await()
	return s
}

// read draws on the emulator until the terminal is closed.
func (s *Session) read() {
	defer close(s.drained)
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.keyboard.Read(buffer)
		s.mu.Lock()
		_, _ = s.emulator.Write(s.drawn.add(buffer[:n]))
		if screen := readScreen(s.emulator); err != nil || !screen.Alternate || !s.drawn.unfinished {
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

// end kills what is left of the program, and of those that it had started: its folder can be removed then.
func (s *Session) end() {
	group := -s.command.Process.Pid // it leads a session of its own
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-s.exited
	<-s.drained
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for range 10_000 {
		if syscall.Kill(group, 0) != nil {
			break
		}
		<-ticker.C
	}
	_ = s.keyboard.Close()
}

// Answers returns how many answers were given so far, beyond defaults that were accepted.
func (s *Session) Answers() int { return s.answers.given }

// Leave waits for the program's end, demands its exit code, and that it gave the terminal back as it found it.
func (s *Session) Leave(code int) {
	s.t.Helper()
	if got := s.Exit(); got != code {
		s.fail("exit code %d, not %d", got, code)
	}
	if faults := s.kept(); len(faults) > 0 {
		s.fail("the terminal was not given back: %s", strings.Join(faults, "; "))
	}
	if text := s.Transcript(); strings.Contains(text, "panic:") || strings.Contains(text, "goroutine ") {
		s.fail("there was a panic")
	}
}

// kept names what the program did not give back. Mode 25 is the cursor, 7 the wrapping of long lines; all others are off
// in a shell.
func (s *Session) kept() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []string
	modes := s.drawn.modes()
	for _, mode := range slices.Sorted(maps.Keys(modes)) {
		if usual := mode == "25" || mode == "7"; modes[mode] != usual {
			faults = append(faults, fmt.Sprintf("mode %s is %t", mode, modes[mode]))
		}
	}
	if s.drawn.settings != nil {
		faults = append(faults, s.drawn.settings.Error())
	}
	if now := s.drawn.after; now.Lflag != s.before.Lflag || now.Iflag != s.before.Iflag || now.Oflag != s.before.Oflag {
		faults = append(faults, fmt.Sprintf("its settings are %#x %#x %#x, not %#x %#x %#x",
			now.Lflag, now.Iflag, now.Oflag, s.before.Lflag, s.before.Iflag, s.before.Oflag))
	}
	return faults
}

// Mark gives this moment a name, for a still picture of it.
func (s *Session) Mark(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn.marks = append(s.drawn.marks, mark{name, len(s.drawn.chunks)})
}

// Record writes what was drawn as an asciicast of version 2. It returns when the marks are in it.
func (s *Session) Record(w io.Writer, c Cast) (marks map[string]time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	err = out.Encode(struct {
		Version int `json:"version"`
		Width   int `json:"width"`
		Height  int `json:"height"`
	}{2, c.Width, c.Height})
	frames, marks := c.frames(s.drawn)
	for _, frame := range frames {
		err = errors.Join(err, out.Encode([]any{frame.at.Seconds(), "o", frame.text}))
	}
	return marks, err
}
