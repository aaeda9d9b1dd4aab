package tui

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

// signPage is as long as real addresses.
var signPage = "https://id.example.net/auth?client_id=commodore&" + strings.Repeat("state=0123456789&", 16) + "end=1"

// meets opens the screen of Project Syn of an interview whose sign-in returns ends once finish was called.
func meets(t *testing.T, width, height int, out *strings.Builder, ends error) (o *operator, finish func()) {
	t.Helper()
	d := newDesk().answer(t, whole())
	d.Answers.Spec.Syn.LieutenantURL = "https://api.syn.example.net"
	d.inquires(wizard.Syn, "Lieutenant", []string{"syn.lieutenantURL"}, wizard.LookupResult{Pending: true, Summary: "nobody is signed in"}, nil)
	d.SignIn = func(ctx context.Context, _ state.Spec, show func(string)) error {
		show(signPage)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return ends
	}
	o = sit(t, d, width, height, func(w *Wizard) {
		if out != nil {
			w.Out = out
		}
	}).at(t, wizard.Syn)
	o.pass(2 * time.Second)
	var held tea.Cmd
	o.spawn = func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := app.NewSpawn(t.Context())(work)
		held = cmd
		return nil, cancel
	}
	o.send = func(m tea.Msg) { o.tell(m) }
	return o, func() { o.tell(held()) }
}

func TestSomebodySignsInFromTheScreenOfProjectSyn(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		var out strings.Builder
		o, finish := meets(t, size[0], size[1], &out, nil)
		o.shows(t, "F6 sign in", "nobody is signed in")
		asked := len(o.desk.asked)
		o.press("f6").tell(signInPageMsg{o.signInCount, signPage})
		if view := strings.NewReplacer("\n", "", " ", "").Replace(o.View()); !strings.Contains(view, signPage) {
			t.Errorf("at %v the page is not shown whole:\n%s", size, o.View())
		}
		tuitest.Golden(t, fmt.Sprintf("wizard-signin-%dx%d", size[0], size[1]), o.View())
		if o.press("c"); !strings.Contains(out.String(), base64.StdEncoding.EncodeToString([]byte(signPage))) {
			t.Errorf("at %v c copies %q", size, out.String())
		}
		finish()
		if o.shows(t, "signed in"); o.signInState != nil || len(o.desk.asked) <= asked {
			t.Errorf("at %v Project Syn is not asked anew", size)
		}
	}
}

func TestASignInCanBeEndedAndItsEndIsNoNews(t *testing.T) {
	o, finish := meets(t, 80, 24, nil, nil)
	o.press("f6", "esc")
	if o.signInState != nil || o.pages[o.current].screen != wizard.Syn {
		t.Fatal("esc does not end the sign-in alone")
	}
	finish()
	if strings.Contains(o.View(), "signed in at") || o.notice != "" {
		t.Errorf("what was ended is told:\n%s", o.View())
	}
	o.press("f6")
	o.pass(time.Second)
	if o.press("ctrl+c"); o.quitDialog == nil {
		t.Error("ctrl+c does not lead out")
	}
}

func TestASignInThatFailsSaysWhy(t *testing.T) {
	o, finish := meets(t, 80, 24, nil, errors.New("the state does not fit\x1b[2J"))
	o.press("f6")
	finish()
	if o.shows(t, "the state does not fit"); strings.Contains(o.View(), "\x1b[2J") {
		t.Error("a control sequence reaches the terminal")
	}
}

func TestNobodySignsInWhereThereIsNobodyToKnow(t *testing.T) {
	o := sit(t, newDesk().answer(t, whole()), 80, 24, nil).at(t, wizard.Syn)
	if o.press("f6"); o.signInState != nil || strings.Contains(o.View(), "F6") {
		t.Error("somebody signs in at nobody")
	}
}
