package wizard

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard"

	"github.com/creack/pty"
)

func runOnTerminal(ctx context.Context, t *testing.T, term *tuitest.Terminal, d *fakeInterview) <-chan error {
	t.Helper()
	d.folder = t.TempDir()
	end := make(chan error, 1)
	go func() {
		_, err := Run(ctx, Options{
			Open: func(context.Context, string) (*wizard.Interview, error) { return d.Interview, nil },
			In:   term.TTY, Out: term.TTY, NoColor: true,
		})
		end <- err
	}()
	return end
}

func TestRun_RestoresTerminalAndSaves(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	for name, leave := range map[string]func(t *testing.T, term *tuitest.Terminal, cancel context.CancelCauseFunc){
		"ctrl+c": func(t *testing.T, term *tuitest.Terminal, _ context.CancelCauseFunc) {
			term.Press(t, "\x03")
			term.Await(t, "Quit the wizard?")
			term.Press(t, "\x03")
		},
		"signal":  func(_ *testing.T, _ *tuitest.Terminal, cancel context.CancelCauseFunc) { cancel(errTerminated) },
		"hung up": func(t *testing.T, term *tuitest.Terminal, _ context.CancelCauseFunc) { term.HangUp(t) },
	} {
		t.Run(name, func(t *testing.T) {
			term, d := tuitest.NewTerminal(t), newInterview().answer(t, completeAnswers())
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			end := runOnTerminal(ctx, t, term, d)
			term.Await(t, "[1 Access")
			term.Press(t, "\x1b2")
			term.Await(t, "[2 Cluster")
			term.Press(t, "\x15c-other-1")
			term.Await(t, "[c-other-1_")
			leave(t, term, cancel)
			if err := <-end; err != nil && !errors.Is(err, errTerminated) {
				t.Error(err)
			}
			if name != "hung up" {
				term.Await(t, tuitest.LeaveScreen)
			}
			if id := d.saved[len(d.saved)-1].Spec.Cluster.ID; id != "c-other-1" {
				t.Errorf("saved is %q", id)
			}
		})
	}
}

var errTerminated = errors.New("terminated")

func TestRun_BracketedPaste(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	term, d := tuitest.NewTerminal(t), newInterview()
	end := runOnTerminal(t.Context(), t, term, d)
	term.Await(t, "[1 Access")
	term.Press(t, "\x1b[B\x1b[200~ "+secretText+"\n\x1b[201~")
	term.Await(t, "whitespace around")
	term.Press(t, "\x03\x03")
	if err := <-end; err != nil || d.secrets[apiSecretField] != secretText {
		t.Errorf("kept is %q, %v", d.secrets, err)
	}
	if term.Shows(secretText) {
		t.Error("the secret was drawn")
	}
}

// Nothing is drawn while nothing changes: the ages on the screen are coarse.
func TestWizard_NoRedrawWithoutChange(t *testing.T) {
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Cluster, "Names", []string{"cluster.id"}, wizard.LookupResult{Summary: "free"}, nil)
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster).Type("x").Press("enter")
	o.Advance(11 * time.Second)
	before := o.View()
	o.Advance(8 * time.Second)
	if o.View() != before {
		t.Errorf("the screen has changed to\n%s\nfrom\n%s", o.View(), before)
	}
}

func TestRun_DumbTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	term := tuitest.NewTerminal(t)
	_, err := Run(t.Context(), Options{In: term.TTY, Out: term.TTY})
	if err == nil || !strings.Contains(err.Error(), "cannot place the cursor") {
		t.Errorf("a dumb terminal gets %v", err)
	}
}

func TestRun_Resize(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	term, d := tuitest.NewTerminal(t), newInterview()
	end := runOnTerminal(t.Context(), t, term, d)
	term.Await(t, "[1 Access")
	if err := pty.Setsize(term.Keyboard, &pty.Winsize{Rows: 0, Cols: 0}); err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(term.Keyboard, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGWINCH); err != nil { // as the kernel does
		t.Fatal(err)
	}
	term.Await(t, "╭") // of a box that only a large screen has
	term.Press(t, "\x0c")
	term.Press(t, "\x03\x03")
	if err := <-end; err != nil {
		t.Error(err)
	}
	if term.Shows("panic") {
		t.Error("the wizard panicked")
	}
}
