package checks

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"

	"github.com/google/go-cmp/cmp"
)

func TestTheScreenBeginsWithARunFromTheFirstVantageOnly(t *testing.T) {
	i := inspects(troubled(), 80, 24)
	if diff := cmp.Diff([]string{"workstation []"}, i.gate.asked); diff != "" {
		t.Error(diff)
	}
	i.shows(t, "workstation 8/9 !", "zone not yet", "› api.openshift.com ! ○ too slow 4.2 s", "… 8 more ok (a shows all)")
	i.press("a").shows(t, "Exoscale", "Red Hat").press("a").hides(t, "Red Hat 9")
}

func TestRowsTurnFromRunningToDoneAsResultsCome(t *testing.T) {
	i := sightings()["begun"](80, 24, false)
	i.shows(t, "api-ch-gva-2.exoscale.com ✓", "quay.io ● ○ running", "workstation 1/1 ●")
	i.Update(probeResultMsg{0, 1, i.gate.result(reach.Workstation, i.gate.Checks[5])})
	i.shows(t, "› api.openshift.com !", "quay.io ●")
	i.Update(runEndedMsg{source: 0, generation: 1, whole: true, err: errors.New("the zone\x1b[2J is gone")})
	i.shows(t, "It could not be looked from this machine", "the zone is gone").press("esc").hides(t, "running")
	i.Update(probeResultMsg{0, 1, i.gate.result(reach.Workstation, i.gate.Checks[0])}) // late
	if i.board.Rows[1].Results[0].Status != theme.Waiting {
		t.Error("what was not told is not waiting")
	}
}

func TestRAsksOneAgainAndCapitalRAll(t *testing.T) {
	i := inspects(troubled(), 80, 24)
	delete(i.gate.network.Wrong, "workstation NET-RH-004")
	i.press("r").shows(t, "workstation 9/9 ✓").press("R")
	if diff := cmp.Diff([]string{"workstation []", "workstation [NET-RH-004]", "workstation []"}, i.gate.asked); diff != "" {
		t.Error(diff)
	}
	i.shows(t, "What changed", "✓ api.openshift.com from here warn → ok")
}

func TestAnotherVantageIsRunAfterAYesOnly(t *testing.T) {
	i := inspects(troubled(), 130, 40).press("z")
	i.shows(t, "costs less than 0.01", "› go back (default)").press("enter")
	i.press("tab", "R").shows(t, "costs less than 0.01").press("esc")
	if len(i.gate.asked) != 1 {
		t.Fatalf("asked %q without a yes", i.gate.asked)
	}
	i.press("z", "down", "enter")
	i.shows(t, "layers (zone)", "› registry.redhat.io ✓ ✗", `TLS ✗ issuer "Corp Proxy CA"`, "from the zone", "FAILED", "Ask for registry.redhat.io to be exempted")
	i.press("tab").shows(t, "layers (here)", "registry.redhat.io:443 FAILED", "from the zone") // the source with the failure
}

func TestAVantageThatCostsNothingIsRunAtOnce(t *testing.T) {
	g := troubled()
	g.Estimate = nil
	if i := inspects(g, 80, 24).press("z"); len(i.gate.asked) != 2 {
		t.Errorf("asked %q:\n%s", i.gate.asked, i.View())
	}
}

func TestWatchingLooksAgainEveryHalfMinuteAtWhatIsFree(t *testing.T) {
	i := inspects(troubled(), 80, 30).press("z", "y", "w")
	i.shows(t, "the next look is in 30s")
	i.gate.spoil(reach.Workstation, "NET-RH-003", tuitest.Dropped())
	i.pass(29 * time.Second)
	before := len(i.gate.asked)
	i.pass(2 * time.Second)
	i.shows(t, "✗ cdn01.quay.io from here ok → failed TCP: no answer")
	if len(i.gate.asked) != before+1 {
		t.Errorf("asked %q", i.gate.asked)
	}
	i.press("w").pass(5 * time.Minute)
	if len(i.gate.asked) != before+1 || slices.Contains(i.gate.asked[2:], "zone []") {
		t.Errorf("asked %q", i.gate.asked)
	}
	if len(i.waiting) > 0 {
		t.Errorf("the clock goes on although nothing does: %v", i.waiting)
	}
}

func TestWatchingThatIsTurnedOffAndOnCountsAnew(t *testing.T) {
	i := inspects(troubled(), 80, 30).press("w")
	i.pass(15 * time.Second)
	i.press("w", "w").pass(20 * time.Second)
	if len(i.gate.asked) != 3 {
		t.Errorf("asked %q", i.gate.asked)
	}
	i.pass(11 * time.Second)
	if len(i.gate.asked) != 4 {
		t.Errorf("asked %q", i.gate.asked)
	}
}

func TestASkipShowsWhatToWriteAndIsInTheReport(t *testing.T) {
	i := inspects(troubled(), 80, 24).press("x", "enter").shows(t, "Say why").types("we need no updates").press("enter")
	i.press("ctrl+u", "0", "enter").shows(t, "from 1 to 365")
	i.press("backspace", "1", "4", "enter").shows(t, "NET-RH-004: we need no updates until 2026-05-18")
	i.press("esc").shows(t, "workstation 8/8 ✓")
	r := i.buildReport().Results[5]
	if r.Verdict != reach.Skipped || r.Class != "" || r.Evidence[reach.EvidenceSkipped] != "we need no updates" || r.Evidence[reach.EvidenceUntil] != "2026-05-18" {
		t.Errorf("the report has %+v", r)
	}
	i.press("/").types("updates").press("enter").shows(t, "not checked: we need no updates")
}

func TestASkipThatIsRefusedSaysWhy(t *testing.T) {
	g := troubled()
	g.Skip = func(string, string, time.Time) (string, error) { return "", errors.New("no\x1b[2J such check") }
	i := inspects(g, 80, 24).press("x").types("why").press("enter", "enter")
	i.shows(t, "✗ no such check", "› api.openshift.com !")
}

func TestTheReportIsAsItWasTold(t *testing.T) {
	i := inspects(troubled(), 80, 24).press("z", "y")
	report := i.buildReport()
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
	if diff := cmp.Diff(i.gate.result(reach.Zone, i.gate.Checks[3]), report.Results[12]); diff != "" {
		t.Error(diff)
	}
	i.press("e").shows(t, "are written", "/data/you/report.json", "/data/you/firewall.md").press("esc")
	if diff := cmp.Diff(report, i.gate.saved); diff != "" {
		t.Error(diff)
	}
	i.gate.saved = reach.Report{}
	if i.press("f", "f9").shows(t, "/data/you/firewall.md"); len(i.gate.saved.Results) != 18 {
		t.Error("the request cannot be exported where it is shown")
	}
}

func TestAReportThatCannotBeWrittenSaysWhy(t *testing.T) {
	g := troubled()
	g.Save = func(reach.Report) ([]string, error) { return nil, errors.New("the disk is full") }
	inspects(g, 80, 24).press("e").shows(t, "✗ the disk is full")
}

func TestTheListIsFiltered(t *testing.T) {
	i := inspects(troubled(), 80, 24).press("/").types("QUAYq")
	i.press("backspace").shows(t, "/QUAY", "› quay.io", "cdn01.quay.io").hides(t, "registry.redhat.io")
	i.press("enter").hides(t, "/QUAY").press("down").shows(t, "› cdn01.quay.io")
	i.press("esc").shows(t, "› cdn01.quay.io", "api.openshift.com")
	i.press("/").types("nothing like that").shows(t, "/nothing like that")
	if i.press("enter", "enter", "r", "x", "c", "?"); i.quit {
		t.Error("an empty list ends the screen")
	}
}

func TestHelpAndDetailsAreAboutTheSelection(t *testing.T) {
	i := inspects(troubled(), 80, 24).press("f1")
	i.shows(t, "Updates", "NET-RH-004, api.openshift.com:443", "The cluster asks which updates there are.").press("esc")
	i.press("enter").shows(t, "WARN", "Find out what makes the way to api.openshift.com slow").press("c")
	i.shows(t, "given to the terminal's clipboard, if it has one: curl")
}

func TestLeavingIsFreeUnlessARunGoesOn(t *testing.T) {
	if i := inspects(troubled(), 80, 24).press("q"); !i.quit {
		t.Error("q does not leave")
	}
	for _, key := range []string{"q", "ctrl+c"} {
		i := sightings()["begun"](80, 24, false)
		cancelled := false
		i.runs[0].cancel = func() { cancelled = true }
		i.press(key).shows(t, "Leave?", "What was found out so far stays in the report", "› go back (default)").press("enter")
		if i.quit || cancelled {
			t.Fatal("it left although the answer was to go back")
		}
		if i.press(key, "down", "enter"); i.quit || !cancelled {
			t.Errorf("left before the run ended: %v", i.quit)
		}
		i.shows(t, "what was set up elsewhere is taken away", "ENDING")
		if i.hears(runEndedMsg{source: 0, generation: 1}); !i.quit {
			t.Error("it stays although the run has ended")
		}
	}
}

func TestCtrlCTwiceLeaves(t *testing.T) {
	i := sightings()["begun"](80, 24, false).press("x", "ctrl+c", "ctrl+c")
	if i.shows(t, "ENDING"); i.quit {
		t.Error("it does not wait for the run")
	}
	if i.press("ctrl+c"); !i.quit {
		t.Error("who insists stays")
	}
}

func TestNothingIsDrawnAnewWhenNothingChanges(t *testing.T) {
	i := inspects(troubled(), 80, 24)
	i.pass(time.Second)
	before := i.View()
	if i.pass(time.Hour); len(i.waiting) > 0 || i.View() != before {
		t.Errorf("%d alarms are set; drawn:\n%s", len(i.waiting), i.View())
	}
}

func TestWhatGoesOnBeforeResultsComeIsTold(t *testing.T) {
	i := sightings()["begun"](120, 40, false)
	i.options.Progress = func(vantage string) string { return vantage + ": creating\x1b[2J a machine" }
	i.Update(app.TickMsg{})
	i.shows(t, "workstation: creating a machine")
}

func TestAServiceThatNobodyAnnouncedIsShownAllTheSame(t *testing.T) {
	i := inspects(newGate(reach.Workstation), 80, 40)
	r := tuitest.Dropped()
	r.ID, r.Target, r.Group = "NEW-1", "new.example.net:8443", "customer"
	i.runs[0].running = true
	i.Update(probeResultMsg{0, i.runs[0].generation, r})
	i.Update(probeResultMsg{0, i.runs[0].generation - 1, reach.Result{ID: "OLD-1", Target: "old.example.net:1", Verdict: reach.Fail}})
	i.Update(runEndedMsg{source: 0, generation: i.runs[0].generation - 1})
	i.shows(t, "› new.example.net:8443 ✗", "running").hides(t, "old.example.net")
}

func TestHostileServicesAreHarmless(t *testing.T) {
	g := troubled()
	for i := range g.Checks {
		g.Checks[i].Title, g.Checks[i].Reason, g.Checks[i].Owner, g.Checks[i].Group = tuitest.Hostile, tuitest.Hostile, tuitest.Hostile, tuitest.Hostile
	}
	bad := tuitest.Dropped()
	bad.Class, bad.Hint, bad.Evidence = reach.Class(tuitest.Hostile), tuitest.Hostile, map[string]string{tuitest.Hostile: tuitest.Hostile, reach.EvidenceTime: tuitest.Hostile}
	g.spoil(reach.Workstation, "NET-RH-001", bad)
	g.Title = tuitest.Hostile
	g.Save = func(reach.Report) ([]string, error) { return []string{tuitest.Hostile}, nil }
	i := inspects(g, 120, 40)
	for _, key := range []string{"down", "e", "c", "enter", "esc", "f", "esc", "?", "esc", "x", "esc", "a", "w"} {
		tuitest.CheckScreen(t, i.press(key).View(), 120, 40)
	}
}

func TestHugeCataloguesAreShownInPart(t *testing.T) {
	g := huge(2000)
	i := inspects(g, 80, 24)
	i.press("end").shows(t, "› host-1999.example.net", "↑")
	i.press("pgup", "home").shows(t, "› host-0.example.net", "↓")
	tuitest.CheckScreen(t, i.View(), 80, 24)
}

func huge(n int) *gate {
	g := newGate(reach.Workstation, reach.Zone)
	g.Checks = nil
	for i := range n {
		name := "host-" + strconv.Itoa(i)
		g.Checks = append(g.Checks, reach.Check{ID: "NET-" + strconv.Itoa(i), Group: "customer", Title: name, URL: "https://" + name + ".example.net", Severity: reach.Must})
	}
	return g
}
