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
