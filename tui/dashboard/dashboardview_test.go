package dashboard

import (
	"slices"
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
)

func TestFilter_TypeAndClear(t *testing.T) {
	d := newTestDashboard(thousand(), 80, 24, nil)
	press(d, "/", "w", "o", "r", "k", "e", "r", "-", "2", "6", "7", "q", "5")
	if d.nav.tab != nodesTab || !d.nav.typing || d.nav.filters[nodesTab].Word() != "worker-267q5" || d.leaveDialog != nil {
		t.Fatalf("typed %q on %s", d.nav.filters[nodesTab].Word(), d.nav.tab)
	}
	press(d, "backspace", "backspace", "enter")
	if view := d.View(); d.nav.typing || strings.Count(view, "worker-") != 2 || !strings.Contains(view, "worker-267 ") {
		t.Errorf("filtered:\n%s", view)
	}
	if press(d, "esc"); d.nav.filters[nodesTab].Word() != "" {
		t.Error("esc does not clear the filter")
	}
	press(d, "/", "x", "esc")
	if d.nav.typing || d.nav.filters[nodesTab].Word() != "" {
		t.Error("esc does not end the typing")
	}
}

func TestFilter_CtrlCAsksToLeave(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, nil)
	if press(d, "/", "a", "ctrl+c"); d.leaveDialog == nil {
		t.Error("ctrl+c does not ask")
	}
}

func TestLog_SwitchesEventsAndJournal(t *testing.T) {
	d := newTestDashboard(middle(), 80, 24, nil)
	const event, line = "infra-0 is Booting", "Starting etcd certificate signer"
	if press(d, "l"); !strings.Contains(d.View(), event) || strings.Contains(d.View(), line) {
		t.Errorf("l does not show the events:\n%s", d.View())
	}
	if press(d, "l"); !strings.Contains(d.View(), line) || strings.Contains(d.View(), event) {
		t.Errorf("l again does not show the journal:\n%s", d.View())
	}
	if press(d, "l"); !strings.Contains(d.View(), event) {
		t.Error("l once more does not show the events")
	}
	none := newTestDashboard(beginning(), 80, 24, nil)
	if press(none, "l", "l"); none.nav.journal {
		t.Error("a journal without lines is shown")
	}
}

func TestFinding_RemovedWhenOver(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}, {59, 12}} {
		without, run := newTestDashboard(middle(), size[0], size[1], nil).View(), middle()
		run.blocked()
		found := newTestDashboard(run, size[0], size[1], nil)
		if !strings.Contains(found.View(), "MOST LIKELY") || !strings.Contains(found.View(), "The master") {
			t.Errorf("at %v the cause is not shown:\n%s", size, found.View())
		}
		for _, rule := range []string{"machine-config-blocked", "slow"} {
			found.Update(eventsMsg{{Time: found.run.board.Now, Type: provisioner.TypeDiagnosis, Name: rule, State: provisioner.Gone}})
		}
		gone := strings.Split(found.View(), "\n")
		for i, line := range strings.Split(without, "\n") {
			if i < 4 && len([]rune(gone[i])) != len([]rune(line)) || strings.Contains(gone[i], "MOST LIKELY") {
				t.Errorf("at %v line %d is %q", size, i, gone[i])
			}
		}
	}
}

func TestDiagnosis_BeforeFailure(t *testing.T) {
	run := middle()
	if d := newTestDashboard(run, 80, 24, nil); press(d, "d") != nil || !strings.Contains(d.View(), "no problems found") {
		t.Errorf("without a finding:\n%s", d.View())
	}
	run.blocked()
	d := newTestDashboard(run, 80, 24, nil)
	press(d, "d")
	for _, text := range []string{"MOST LIKELY (high)", "Evidence", "master-2 runs, and was never heard of", "Fix", "exo compute security-group rule add"} {
		if !strings.Contains(d.View(), text) {
			t.Errorf("%q is not said:\n%s", text, d.View())
		}
	}
	if press(d, "esc"); d.nav.details {
		t.Error("esc does not close the diagnosis")
	}
}

// The cluster is bootstrapped once etcd has removed the bootstrap member, whatever phases are still to come.
func TestBootstrap_EndsWithEtcdMember(t *testing.T) {
	run := middle()
	for _, phase := range state.ListPhases()[7:12] {
		run.phase(0, phase)
	}
	before := newTestDashboard(run, 80, 24, nil)
	run.phase(0, state.PhaseMemberRemoved)
	after := newTestDashboard(run, 80, 24, nil)
	for d, want := range map[*dashboard]string{before: "The cluster's bootstrap continues", after: "The cluster continues"} {
		if press(d, "q"); !strings.Contains(d.View(), want) {
			t.Errorf("%q is not said:\n%s", want, d.View())
		}
	}
	if before.panes().buildCertificates().Until.IsZero() || !after.panes().buildCertificates().Until.IsZero() {
		t.Error("the certificates are shown as long as they do not matter, or not where they do")
	}
}

// A part of the cluster that the overview has no room for is named, and is in another pane.
func TestOverview_NamesWhatIsCut(t *testing.T) {
	marked := 0
	for height := 16; height <= 40; height++ {
		lines := strings.Split(newTestDashboard(middle(), 60, height, nil).View(), "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "↓ more: ") })
		cut := ""
		if at >= 0 {
			marked++
			_, cut, _ = strings.Cut(lines[at], "more: ")
		}
		for _, name := range []string{"bootstrap", "access", "certs", "etcd", "nodes", "csr", "cloud"} {
			shown := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, " "+name+" ") })
			if !shown && !strings.Contains(cut, name) {
				t.Errorf("with %d lines, %s is neither shown nor named:\n%s", height, name, strings.Join(lines, "\n"))
			}
		}
	}
	if marked == 0 || marked == 25 {
		t.Errorf("%d of 25 heights are too low", marked)
	}
}
