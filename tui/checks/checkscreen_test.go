package checks

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"

	"github.com/google/go-cmp/cmp"
)

func TestScreen_StartsFirstSource(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24)
	if diff := cmp.Diff([]string{"workstation []"}, i.network.calls); diff != "" {
		t.Error(diff)
	}
	i.Shows(t, "workstation 8/9 !", "zone not yet", "› api.openshift.com ! ○ too slow 4.2 s", "… 8 more ok (a shows all)")
	i.Press("a").Shows(t, "Exoscale", "Red Hat").Press("a").Hides(t, "Red Hat 9")
}

func TestRunner_Results(t *testing.T) {
	i := listScreens()["begun"](80, 24, false)
	i.Shows(t, "api-ch-gva-2.exoscale.com ✓", "quay.io ● ○ running", "workstation 1/1 ●")
	i.Update(probeResultMsg{0, 1, i.network.result(reach.Workstation, i.network.Checks[5])})
	i.Shows(t, "› api.openshift.com !", "quay.io ●")
	i.Update(runEndedMsg{source: 0, generation: 1, whole: true, err: errors.New("the zone\x1b[2J is gone")})
	i.Shows(t, "The check failed from this machine", "the zone is gone").Press("esc").Hides(t, "running")
	i.Update(probeResultMsg{0, 1, i.network.result(reach.Workstation, i.network.Checks[0])}) // late
	if i.board.Rows[1].Results[0].Status != theme.Waiting {
		t.Error("what was not told is not waiting")
	}
}

func TestRunner_RepeatOneAndAll(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24)
	delete(i.network.network.Wrong, "workstation NET-RH-004")
	i.Press("r").Shows(t, "workstation 9/9 ✓").Press("R")
	if diff := cmp.Diff([]string{"workstation []", "workstation [NET-RH-004]", "workstation []"}, i.network.calls); diff != "" {
		t.Error(diff)
	}
	i.Shows(t, "Changes", "✓ api.openshift.com from here warn → ok")
}

func TestRunner_SourceNeedsConfirmation(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 130, 40).Press("z")
	i.Shows(t, "costs less than 0.01", "› cancel (default)").Press("enter")
	i.Press("tab", "R").Shows(t, "costs less than 0.01").Press("esc")
	if len(i.network.calls) != 1 {
		t.Fatalf("asked %q without a yes", i.network.calls)
	}
	i.Press("z", "down", "enter")
	i.Shows(t, "layers (zone)", "› registry.redhat.io ✓ ✗", `TLS ✗ issuer "Corp Proxy CA"`, "from the zone", "FAILED", "Ask for registry.redhat.io to be exempted")
	i.Press("tab").Shows(t, "layers (here)", "registry.redhat.io:443 FAILED", "from the zone") // the source with the failure
}

func TestRunner_FreeSource(t *testing.T) {
	g := newFaultyNetwork()
	g.Estimate = nil
	if i := openScreen(g, 80, 24).Press("z"); len(i.network.calls) != 2 {
		t.Errorf("asked %q:\n%s", i.network.calls, i.View())
	}
}

func TestRunner_Watch(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 30).Press("z", "y", "w")
	i.Shows(t, "next check in 30s")
	i.network.setResult(reach.Workstation, "NET-RH-003", tuitest.Dropped())
	i.Advance(29 * time.Second)
	before := len(i.network.calls)
	i.Advance(2 * time.Second)
	i.Shows(t, "✗ cdn01.quay.io from here ok → failed TCP: no answer")
	if len(i.network.calls) != before+1 {
		t.Errorf("asked %q", i.network.calls)
	}
	i.Press("w").Advance(5 * time.Minute)
	if len(i.network.calls) != before+1 || slices.Contains(i.network.calls[2:], "zone []") {
		t.Errorf("asked %q", i.network.calls)
	}
	if len(i.Timers) > 0 {
		t.Errorf("the clock goes on although nothing does: %v", i.Timers)
	}
}

func TestRunner_WatchRestarted(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 30).Press("w")
	i.Advance(15 * time.Second)
	i.Press("w", "w").Advance(20 * time.Second)
	if len(i.network.calls) != 3 {
		t.Errorf("asked %q", i.network.calls)
	}
	i.Advance(11 * time.Second)
	if len(i.network.calls) != 4 {
		t.Errorf("asked %q", i.network.calls)
	}
}

func TestChecksScreen_Skip(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24).Press("x", "enter").Shows(t, "Enter a reason").Type("we need no updates").Press("enter")
	i.Press("ctrl+u", "0", "enter").Shows(t, "from 1 to 365")
	i.Press("backspace", "1", "4", "enter").Shows(t, "NET-RH-004: we need no updates until 2026-05-18")
	i.Press("esc").Shows(t, "workstation 8/8 ✓")
	r := i.runner.buildReport().Results[5]
	if r.Verdict != reach.Skipped || r.Class != "" || r.Evidence[reach.EvidenceSkipped] != "we need no updates" || r.Evidence[reach.EvidenceUntil] != "2026-05-18" {
		t.Errorf("the report has %+v", r)
	}
	i.Press("/").Type("updates").Press("enter").Shows(t, "not checked: we need no updates")
}

func TestSkip_Refused(t *testing.T) {
	g := newFaultyNetwork()
	g.Skip = func(string, string, time.Time) (string, error) { return "", errors.New("no\x1b[2J such check") }
	i := openScreen(g, 80, 24).Press("x").Type("why").Press("enter", "enter")
	i.Shows(t, "✗ no such check", "› api.openshift.com !")
}

func TestChecksScreen_Report(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24).Press("z", "y")
	report := i.runner.buildReport()
	var vantages, ids []string
	for _, r := range report.Results {
		vantages, ids = append(vantages, r.Source), append(ids, r.ID)
	}
	if want := append(slices.Repeat([]string{"workstation"}, 9), slices.Repeat([]string{"zone"}, 9)...); !slices.Equal(vantages, want) {
		t.Errorf("the order is %q", vantages)
	}
	if !slices.Equal(ids[:9], ids[9:]) || ids[0] != "NET-EXO-001" || report.V != 1 || report.TookMS != 1800 || report.Started.IsZero() {
		t.Errorf("%v %+v", ids, report)
	}
	if diff := cmp.Diff(i.network.result(reach.Zone, i.network.Checks[3]), report.Results[12]); diff != "" {
		t.Error(diff)
	}
	i.Press("e").Shows(t, "request written", "/data/you/report.json", "/data/you/firewall.md").Press("esc")
	if diff := cmp.Diff(report, i.network.saved); diff != "" {
		t.Error(diff)
	}
	i.network.saved = reach.Report{}
	if i.Press("f", "f9").Shows(t, "/data/you/firewall.md"); len(i.network.saved.Results) != 18 {
		t.Error("the request cannot be exported where it is shown")
	}
}

func TestReport_SaveError(t *testing.T) {
	g := newFaultyNetwork()
	g.Save = func(reach.Report) ([]string, error) { return nil, errors.New("the disk is full") }
	openScreen(g, 80, 24).Press("e").Shows(t, "✗ the disk is full")
}

func TestList_Filter(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24).Press("/").Type("QUAYq")
	i.Press("backspace").Shows(t, "/QUAY", "› quay.io", "cdn01.quay.io").Hides(t, "registry.redhat.io")
	i.Press("enter").Shows(t, "/QUAY  2 checks found; esc clears the filter").Press("down").Shows(t, "› cdn01.quay.io")
	i.Press("esc").Shows(t, "› cdn01.quay.io", "api.openshift.com")
	i.Press("/").Type("nothing like that").Shows(t, "/nothing like that", "no match")
	if i.Press("enter", "enter", "r", "x", "c", "?"); i.Quit {
		t.Error("an empty list ends the screen")
	}
}

func TestScreen_HelpAndDetails(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24).Press("f1")
	i.Shows(t, "Updates", "NET-RH-004, api.openshift.com:443", "The cluster asks which updates there are.").Press("esc")
	i.Press("enter").Shows(t, "WARN", "Find out what makes the way to api.openshift.com slow").Press("c")
	i.Shows(t, "copied to the clipboard, if supported: curl")
	i.Press("y").Shows(t, "copied to the clipboard, if supported: NET-RH-004 api.openshift.com:443")
	i.Press("esc", "a", "home", "enter").Shows(t, "esc back").Hides(t, "NET-RH-004").Press("tab", "tab").Press("esc").Shows(t, "q quit")
}

func TestDetails_EverySource(t *testing.T) {
	network := newFaultyNetwork()
	i := openScreen(network, 120, 40).Press("z", "y").Press("enter")
	i.Shows(t, "from this machine", "from the zone")
	if _, open := i.Model.(*checkScreen).popups.Open.(*Details); !open {
		t.Error("enter opens something else")
	}
	i.Resize(60, 18).Shows(t, "↓ more").Press("end").Shows(t, "from this machine").Resize(120, 40).Press("x", "r", "z").Press("esc").Shows(t, "q quit")
}

func TestMouse_SelectsThenOpens(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24).Press("a")
	s := i.Model.(*checkScreen)
	s.theme.Mouse = true
	plain, targets := cells.FindTargets(s.View())
	at := slices.IndexFunc(strings.Split(plain, "\n"), func(line string) bool { return strings.Contains(line, "quay.io") })
	target := targets.At(5, at)
	if target == "" {
		t.Fatalf("no target in line %d:\n%s", at, plain)
	}
	before := s.board.Selected
	i.Send(app.ClickMsg{Target: target})
	selected := s.board.Selected
	if selected == before || s.popups.Open != nil {
		t.Errorf("selected: %s, open: %v", selected, s.popups.Open)
	}
	i.Send(app.ClickMsg{Target: target})
	if _, open := s.popups.Open.(*Details); !open {
		t.Error("a second click does not open the row")
	}
	i.Press("esc").Send(app.WheelMsg{By: 1})
	if s.board.Selected == selected {
		t.Error("the wheel does not move the cursor")
	}
}

func TestChecksScreen_Leave(t *testing.T) {
	if i := openScreen(newFaultyNetwork(), 80, 24).Press("q"); !i.Quit {
		t.Error("q does not leave")
	}
	for _, key := range []string{"q", "ctrl+c"} {
		i := listScreens()["begun"](80, 24, false)
		cancelled := false
		i.runner.runs[0].cancel = func() { cancelled = true }
		i.Press(key).Shows(t, "Quit?", "The results so far stay in the report", "› cancel (default)").Press("enter")
		if i.Quit || cancelled {
			t.Fatal("it left although the answer was to go back")
		}
		if i.Press(key, "down", "enter"); i.Quit || !cancelled {
			t.Errorf("left before the run ended: %v", i.Quit)
		}
		i.Shows(t, "deleting temporary resources", "ENDING")
		if i.Send(runEndedMsg{source: 0, generation: 1}); !i.Quit {
			t.Error("it stays although the run has ended")
		}
	}
}

func TestLeave_CtrlCTwice(t *testing.T) {
	i := listScreens()["begun"](80, 24, false).Press("x", "ctrl+c", "ctrl+c")
	if i.Shows(t, "ENDING"); i.Quit {
		t.Error("it does not wait for the run")
	}
	if i.Press("ctrl+c"); !i.Quit {
		t.Error("who insists stays")
	}
}

func TestScreen_NoRedrawWithoutChange(t *testing.T) {
	i := openScreen(newFaultyNetwork(), 80, 24)
	i.Advance(time.Second)
	before := i.View()
	if i.Advance(time.Hour); len(i.Timers) > 0 || i.View() != before {
		t.Errorf("%d alarms are set; drawn:\n%s", len(i.Timers), i.View())
	}
}

func TestRunner_Progress(t *testing.T) {
	i := listScreens()["begun"](120, 40, false)
	i.runner.options.Progress = func(vantage string) string { return vantage + ": creating\x1b[2J a machine" }
	i.Update(app.TickMsg{})
	i.Shows(t, "workstation: creating a machine")
}

func TestRunner_UnknownCheck(t *testing.T) {
	i := openScreen(newNetwork(reach.Workstation), 80, 40)
	r := tuitest.Dropped()
	r.ID, r.Target, r.Group = "NEW-1", "new.example.net:8443", "customer"
	i.runner.runs[0].running = true
	i.Update(probeResultMsg{0, i.runner.runs[0].generation, r})
	i.Update(probeResultMsg{0, i.runner.runs[0].generation - 1, reach.Result{ID: "OLD-1", Target: "old.example.net:1", Verdict: reach.Fail}})
	i.Update(runEndedMsg{source: 0, generation: i.runner.runs[0].generation - 1})
	i.Shows(t, "› new.example.net:8443 ✗", "running").Hides(t, "old.example.net")
}

func TestScreen_HostileTexts(t *testing.T) {
	g := newFaultyNetwork()
	for i := range g.Checks {
		g.Checks[i].Title, g.Checks[i].Reason, g.Checks[i].Owner, g.Checks[i].Group = tuitest.Hostile, tuitest.Hostile, tuitest.Hostile, tuitest.Hostile
	}
	bad := tuitest.Dropped()
	bad.Class, bad.Hint, bad.Evidence = reach.Class(tuitest.Hostile), tuitest.Hostile, map[string]string{tuitest.Hostile: tuitest.Hostile, reach.EvidenceTime: tuitest.Hostile}
	g.setResult(reach.Workstation, "NET-RH-001", bad)
	g.Title = tuitest.Hostile
	g.Save = func(reach.Report) ([]string, error) { return []string{tuitest.Hostile}, nil }
	i := openScreen(g, 120, 40)
	for _, key := range []string{"down", "e", "c", "enter", "esc", "f", "esc", "?", "esc", "x", "esc", "a", "w"} {
		tuitest.CheckScreen(t, i.Press(key).View(), 120, 40)
	}
}

func TestList_ManyChecks(t *testing.T) {
	g := newLargeNetwork(2000)
	i := openScreen(g, 80, 24)
	i.Press("end").Shows(t, "› host-1999.example.net", "↑")
	i.Press("pgup", "home").Shows(t, "› host-0.example.net", "↓")
	tuitest.CheckScreen(t, i.View(), 80, 24)
}

func newLargeNetwork(n int) *fakeNetwork {
	g := newNetwork(reach.Workstation, reach.Zone)
	g.Checks = nil
	for i := range n {
		name := "host-" + strconv.Itoa(i)
		g.Checks = append(g.Checks, reach.Check{ID: "NET-" + strconv.Itoa(i), Group: "customer", Title: name, URL: "https://" + name + ".example.net", Severity: reach.Must})
	}
	return g
}
