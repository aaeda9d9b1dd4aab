package wizard

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/app"
	"exoshift/tui/tuitest"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// signInAddress is as long as real addresses.
var signInAddress = "https://id.example.net/auth?client_id=commodore&" + strings.Repeat("state=0123456789&", 16) + "end=1"

// openSignIn opens the screen of Project Syn of an interview whose sign-in returns ends once finish was called.
func openSignIn(t *testing.T, width, height int, out *strings.Builder, ends error) (o *driver, finish func()) {
	t.Helper()
	d := newInterview().answer(t, completeAnswers())
	d.Answers.Spec.Syn.LieutenantURL = "https://api.syn.example.net"
	d.addLookup(wizard.Syn, "Lieutenant", []string{"syn.lieutenantURL"}, wizard.LookupResult{Pending: true, Summary: "not signed in"}, nil)
	d.SignIn = func(ctx context.Context, _ state.Spec, show func(string)) error {
		show(signInAddress)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return ends
	}
	o = openWizard(t, d, width, height, func(w *Options) {
		if out != nil {
			w.Out = out
		}
	}).openPage(t, wizard.Syn)
	o.Advance(2 * time.Second)
	var held tea.Cmd
	o.spawn = func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := app.NewSpawn(t.Context())(work)
		held = cmd
		return nil, cancel
	}
	o.send = func(m tea.Msg) { o.Send(m) }
	return o, func() { o.Send(held()) }
}

func TestSignIn_Success(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		var out strings.Builder
		o, finish := openSignIn(t, size[0], size[1], &out, nil)
		o.Shows(t, "F6 sign in", "not signed in")
		asked := len(o.interview.calls)
		o.Press("f6").Send(signInPageMsg{o.signInCount, signInAddress})
		if view := strings.NewReplacer("\n", "", " ", "").Replace(o.View()); !strings.Contains(view, signInAddress) {
			t.Errorf("at %v the page is not shown whole:\n%s", size, o.View())
		}
		tuitest.Golden(t, fmt.Sprintf("wizard-signin-%dx%d", size[0], size[1]), o.View())
		if o.Press("c"); !strings.Contains(out.String(), base64.StdEncoding.EncodeToString([]byte(signInAddress))) {
			t.Errorf("at %v c copies %q", size, out.String())
		}
		finish()
		if o.Shows(t, "signed in"); o.signInState != nil || len(o.interview.calls) <= asked {
			t.Errorf("at %v Project Syn is not asked anew", size)
		}
	}
}

func TestSignIn_Cancel(t *testing.T) {
	o, finish := openSignIn(t, 80, 24, nil, nil)
	o.Press("f6", "esc")
	if o.signInState != nil || o.pages[o.current].screen != wizard.Syn {
		t.Fatal("esc does not end the sign-in alone")
	}
	finish()
	if strings.Contains(o.View(), "signed in at") || o.notice != "" {
		t.Errorf("what was ended is told:\n%s", o.View())
	}
	o.Press("f6")
	o.Advance(time.Second)
	if o.Press("ctrl+c"); o.quitDialog == nil {
		t.Error("ctrl+c does not lead out")
	}
}

func TestSignIn_Failure(t *testing.T) {
	o, finish := openSignIn(t, 80, 24, nil, errors.New("the state does not fit\x1b[2J"))
	o.Press("f6")
	finish()
	if o.Shows(t, "the state does not fit"); strings.Contains(o.View(), "\x1b[2J") {
		t.Error("a control sequence reaches the terminal")
	}
}

func TestSignIn_NotOffered(t *testing.T) {
	o := openWizard(t, newInterview().answer(t, completeAnswers()), 80, 24, nil).openPage(t, wizard.Syn)
	if o.Press("f6"); o.signInState != nil || strings.Contains(o.View(), "F6") {
		t.Error("somebody signs in at nobody")
	}
}
