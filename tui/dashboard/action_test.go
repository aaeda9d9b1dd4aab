package dashboard

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
)

// What has to be copied is whole on every screen with panes, during the wait and after its failure.
func TestActions_RecordsUntruncated(t *testing.T) {
	records := []string{
		"c-demo-1.example.net. 3600 IN NS ns1.exoscale.ch.", "c-demo-1.example.net. 3600 IN NS ns1.exoscale.com.",
		"c-demo-1.example.net. 3600 IN NS ns1.exoscale.io.", "c-demo-1.example.net. 3600 IN NS ns1.exoscale.net.",
	}
	hint := "The zone example.net needs exactly these NS records:\n" + strings.Join(records, "\n")
	for name, state := range map[string]string{"waiting": provisioner.Progress, "given up": provisioner.Failed} {
		run := &tape{now: began}
		run.step(0, "dns-zone", provisioner.Started, "")
		run.add(time.Second, provisioner.Event{Type: provisioner.TypeStep, Step: "dns-zone", State: state, Text: "waiting for you", Hint: hint})
		if state == provisioner.Failed {
			run.add(0, provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: "failed"})
		}
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}, {200, 60}} {
			view := newTestDashboard(run, size[0], size[1], nil).View()
			lines := strings.Split(view, "\n")
			if len(lines) != size[1] {
				t.Errorf("%s at %v: %d lines", name, size, len(lines))
			}
			for _, record := range records {
				if !strings.Contains(view, record) {
					t.Errorf("%s at %v lacks %s:\n%s", name, size, record, view)
				}
			}
		}
	}
}

// The address of a sign-in page has several lines: it is shown whole wherever there is room, and can be copied.
func TestActions_SignInLinkAndCopy(t *testing.T) {
	run := awaitingSignIn()
	_, link, _ := strings.Cut(run.events[len(run.events)-1].Hint, "\n")
	for _, size := range [][2]int{{40, 17}, {60, 18}, {80, 24}, {100, 30}, {120, 40}, {200, 60}} {
		var out strings.Builder
		d := newTestDashboard(run, size[0], size[1], func(o *Options) { o.Out = &out })
		view := strings.NewReplacer("\n", "", " ", "").Replace(d.View())
		if !strings.Contains(view, link) {
			t.Errorf("at %v the page is not shown whole:\n%s", size, d.View())
		}
		cmd := press(d, "c")
		if cmd == nil {
			t.Fatalf("at %v nothing is copied", size)
		}
		d.Update(cmd())
		if size[0] >= 60 && !strings.Contains(d.View(), "clipboard") || !strings.Contains(out.String(), base64.StdEncoding.EncodeToString([]byte(link))) {
			t.Errorf("at %v the terminal gets %q:\n%s", size, out.String(), d.View())
		}
		if press(d, "x"); strings.Contains(d.View(), "clipboard") {
			t.Errorf("at %v the note stays", size)
		}
	}
	if press(newTestDashboard(middle(), 80, 24, nil), "c") != nil {
		t.Error("there is nothing to copy")
	}
}

func TestSyn_PaneOnceSeen(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		d := newTestDashboard(synthesizing(), size[0], size[1], nil)
		press(d, "9")
		view := d.View()
		first, last := strings.Index(view, "! openshift4-api"), strings.Index(view, "✓ steward-agent ")
		if !strings.Contains(view, "8 of 14 applications are synced and healthy") || first < 0 || last < first {
			t.Errorf("at %v:\n%s", size, view)
		}
		if press(d, "/", "c", "i", "l", "enter"); !strings.Contains(d.View(), "● cilium") || strings.Contains(d.View(), "✓ cert-manager") {
			t.Errorf("filtered at %v:\n%s", size, d.View())
		}
	}
	d := newTestDashboard(middle(), 80, 24, nil)
	if press(d, "9"); d.nav.tab == synTab || strings.Contains(d.View(), "syn") {
		t.Errorf("a cluster without Project Syn has a pane for it:\n%s", d.View())
	}
}

func TestActions_DoneIsRemoved(t *testing.T) {
	run := &tape{now: began}
	run.step(0, "dns-zone", provisioner.Started, "")
	before := newTestDashboard(run, 80, 24, nil).View()
	run.add(0, provisioner.Event{Type: provisioner.TypeStep, Step: "dns-zone", State: provisioner.Progress, Hint: "do this"})
	during := newTestDashboard(run, 80, 24, nil).View()
	run.step(0, "dns-zone", provisioner.Done, "")
	after := newTestDashboard(run, 80, 24, nil).View()
	if strings.Contains(before, "do this") || !strings.Contains(during, "do this") || strings.Contains(after, "do this") {
		t.Errorf("before\n%s\nduring\n%s\nafter\n%s", before, during, after)
	}
}
