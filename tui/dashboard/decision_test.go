package dashboard

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

func TestDashboard_ConfirmsNewKeys(t *testing.T) {
	approved := 0
	run := &tape{now: began}
	screened := func() *dashboard {
		return newTestDashboard(run, 100, 30, func(o *Options) { o.ApproveKeys = func() { approved++ } })
	}
	if press(screened(), "a", "y"); approved != 0 {
		t.Fatal("approved although nobody waits for a decision")
	}
	run.add(time.Second, provisioner.Event{Type: provisioner.TypeCSR, Name: "csr-5", Node: "worker-0", Decision: state.Undecided, Reason: "4 keys"})
	d := screened()
	press(d, "a")
	if view := d.View(); !strings.Contains(view, "Approve one more key?") || !strings.Contains(view, "worker-0") {
		t.Errorf("the question is not shown:\n%s", view)
	}
	if press(d, "enter"); approved != 0 {
		t.Error("the default approves")
	}
	if press(d, "a", "y"); approved != 1 {
		t.Errorf("approved %d times", approved)
	}
	run.add(time.Second, provisioner.Event{Type: provisioner.TypeCSR, Name: "csr-5", Node: "worker-0", Decision: state.Approved})
	if press(screened(), "a", "y"); approved != 1 {
		t.Error("approved once more although nobody waits any longer")
	}
}

func TestDashboard_DecidesAboutFinding(t *testing.T) {
	var decided []string
	run := &tape{now: began}
	screened := func() *dashboard {
		return newTestDashboard(run, 100, 30, func(o *Options) {
			o.Decide = func(rule string, reply provisioner.Reply) { decided = append(decided, rule+" "+string(reply)) }
		})
	}
	if press(screened(), "a", "y"); len(decided) > 0 {
		t.Fatal("decided although nothing is asked")
	}
	question := provisioner.Event{
		Type: provisioner.TypeDecision, Name: "api-name-missing", State: provisioner.Asked, Decision: string(provisioner.ReplyRepair),
		Text: "It was changed since it was created. Repair it?", Evidence: []string{"api.c-demo-1 resolves to 203.0.113.250"},
	}
	run.add(time.Second, question)
	d := screened()
	if view := d.View(); !strings.Contains(view, "ACTION NEEDED") || !strings.Contains(view, "Repair it?") || !strings.Contains(view, "a shows the evidence, and decides") {
		t.Errorf("the question is not shown:\n%s", view)
	}
	press(d, "a")
	if view := d.View(); !strings.Contains(view, "203.0.113.250") || !strings.Contains(view, "repair it") {
		t.Errorf("the evidence is not shown:\n%s", view)
	}
	if press(d, "enter"); len(decided) > 0 {
		t.Error("the default decides")
	}
	press(d, "a", "y")
	if want := "api-name-missing repair"; len(decided) != 1 || decided[0] != want {
		t.Errorf("decided %q, want %s", decided, want)
	}
	question.State = provisioner.Decided
	run.add(time.Second, question)
	if press(screened(), "a", "y"); len(decided) != 1 {
		t.Error("decided once more although nothing is asked any longer")
	}
}
