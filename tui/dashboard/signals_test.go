package dashboard

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/app"

	tea "github.com/charmbracelet/bubbletea"
)

// ringing is a dashboard in a terminal that gets what has happened so far, and then each further event on its own.
type ringing struct {
	*dashboard
	tape *tape
	out  strings.Builder
}

func newRinging(run *tape, change func(*Options)) *ringing {
	r := &ringing{tape: run}
	r.dashboard = newTestDashboard(&tape{now: run.now}, 80, 24, func(o *Options) {
		o.Now = func() time.Time { return run.now }
		if change != nil {
			change(o)
		}
	})
	r.attention.signals = app.Signals{Out: &r.out}
	r.update(eventsMsg(run.events))
	r.out.Reset()
	return r
}

func (r *ringing) update(message tea.Msg) {
	_, cmd := r.Update(message)
	runAll(cmd)
}

// runAll runs commands that end at once; those of the run's end may block.
func runAll(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, is := cmd().(tea.BatchMsg); is {
		for _, one := range batch {
			runAll(one)
		}
	}
}

// after returns what the terminal gets for one more event.
func (r *ringing) after(e provisioner.Event) string {
	r.out.Reset()
	r.tape.add(time.Second, e)
	r.update(eventsMsg(r.tape.events[len(r.tape.events)-1:]))
	return r.out.String()
}

func TestAttention_CallsOnceForEachAction(t *testing.T) {
	asked := provisioner.Event{Type: provisioner.TypeStep, Step: "credentials", State: provisioner.Progress, Text: "waiting for you", Hint: "sign in at https://id.example.net/"}
	run := beginning()
	run.step(time.Second, "credentials", provisioner.Started, "")
	r := newRinging(run, nil)
	if got := r.after(asked); strings.Count(got, "\a") != 2 || !strings.Contains(got, "action needed: ") { // one ends the title
		t.Errorf("the terminal gets %q", got)
	}
	if got := r.after(asked); got != "" {
		t.Errorf("the same action once more: %q", got)
	}
	over := asked
	over.Hint = ""
	if got := r.after(over); strings.Contains(got, "action needed") || strings.Count(got, "\a") != 1 {
		t.Errorf("the action is over: %q", got)
	}
	if got := r.after(asked); !strings.HasPrefix(got, "\a") {
		t.Errorf("asked again: %q", got)
	}
}

func TestAttention_CallsForApproval(t *testing.T) {
	undecided := provisioner.Event{Type: provisioner.TypeCSR, Name: "csr-5", Node: "worker-0", Decision: state.Undecided, Reason: "4 keys"}
	r := newRinging(middle(), func(o *Options) { o.ApproveKeys = func() {} })
	got := r.after(undecided)
	if !strings.HasPrefix(got, "\a") || !strings.Contains(r.View(), "ACTION NEEDED  approve one more key of worker-0") {
		t.Errorf("the terminal gets %q:\n%s", got, r.View())
	}
	if watching := newRinging(middle(), nil); strings.Contains(watching.after(undecided)+watching.View(), "ACTION NEEDED") {
		t.Error("who only watches is asked for an approval")
	}
}

func TestAttention_CallsAtEnd(t *testing.T) {
	for result, word := range map[string]string{"ok": ": done", "failed": ": failed"} {
		r := newRinging(middle(), nil)
		if got := r.after(provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: result}); !strings.HasPrefix(got, "\a") || !strings.Contains(got, word) {
			t.Errorf("%s: the terminal gets %q", result, got)
		}
	}
}

func TestAttention_SilentAboutThePast(t *testing.T) {
	end := provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "ok"}
	late := newRinging(middle(), func(o *Options) {
		now := o.Now
		o.Now = func() time.Time { return now().Add(time.Hour) }
	})
	if got := late.after(end); strings.HasPrefix(got, "\a") {
		t.Errorf("who opens an ended run gets %q", got)
	}
	if got := newRinging(middle(), func(o *Options) { o.Player = &recorder{} }).after(end); strings.HasPrefix(got, "\a") {
		t.Errorf("who plays a recording gets %q", got)
	}
}

func TestActions_SinceAndUntil(t *testing.T) {
	run := beginning()
	run.step(time.Second, "credentials", provisioner.Started, "")
	run.add(0, provisioner.Event{Type: provisioner.TypeWait, Step: "credentials", What: "Wait for you", Limit: 600})
	asked := run.now
	run.add(0, provisioner.Event{Type: provisioner.TypeStep, Step: "credentials", State: provisioner.Progress, Hint: "records:\na IN NS b.\nc IN NS d."})
	run.add(4*time.Minute, provisioner.Event{Type: provisioner.TypeStep, Step: "credentials", State: provisioner.Progress, Hint: "records:\na IN NS b."})
	want := "since " + asked.Format("15:04") + " (4m30s)  until " + asked.Add(10*time.Minute).Format("15:04")
	if view := newTestDashboard(run, 120, 40, nil).View(); !strings.Contains(view, want) || !strings.Contains(view, "c copies these lines") {
		t.Errorf("there is no %q:\n%s", want, view)
	}
	if text := newTestDashboard(run, 120, 40, nil).panes().buildAction().Text(); text != "a IN NS b." {
		t.Errorf("c copies %q", text)
	}
}
