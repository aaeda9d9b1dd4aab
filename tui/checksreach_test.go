package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard"
	"exoshift/wizard/reach"
	"exoshift/wizard/session"
)

// reachable has the desk probe services, too: from here with the other checks, and from the zone. Checks that the answers skip
// are skipped.
func reachable(d *desk, g *tuitest.Network) *desk {
	tellAll := func(spec state.Spec, vantage string, tell func(wizard.CheckState)) (failed bool) {
		for _, check := range g.Checks {
			tell(wizard.CheckState{ID: check.ID, Title: check.Title, State: provisioner.Started, Reach: &wizard.ReachState{
				Check: check, Result: reach.Result{ID: check.ID, Source: vantage},
			}})
		}
		for _, check := range g.Checks {
			r := g.Result(vantage, check)
			if reason, skipped := spec.Checks.Skip[check.ID]; skipped {
				r.Verdict, r.Class, r.Hint, r.Evidence = reach.Skipped, "", "", map[string]string{reach.EvidenceSkipped: reason}
			}
			failed = failed || r.Verdict == reach.Fail
			tell(wizard.CheckState{ID: check.ID, Title: check.Title, State: stateOf(r.Verdict), Reach: &wizard.ReachState{Check: check, Result: r}})
		}
		return failed
	}
	d.Check = func(_ context.Context, spec state.Spec, _ wizard.Secrets, tell func(wizard.CheckState)) error {
		d.asked = append(d.asked, "checks")
		tell(wizard.CheckState{ID: "credentials", Title: "Check the credentials", State: provisioner.Done})
		step := wizard.CheckState{ID: stepReachability, Title: "Check what has to be reached", State: provisioner.Done}
		if tellAll(spec, reach.Workstation, tell) {
			step.State, step.Text = provisioner.Failed, "something cannot be reached"
		}
		tell(step)
		return nil
	}
	d.CheckFromZone = func(_ context.Context, spec state.Spec, _ wizard.Secrets, tell func(wizard.CheckState)) error {
		d.asked = append(d.asked, "zone")
		if g.Err == nil {
			tellAll(spec, reach.Zone, tell)
		}
		return g.Err
	}
	d.ZoneTerms = func(s state.Spec) string { return "One machine in " + s.Exoscale.Zone + " for 3 minutes, 0.01." }
	return d
}

func stateOf(v reach.Verdict) string {
	return map[reach.Verdict]string{reach.Fail: provisioner.Failed, reach.Skipped: provisioner.Skipped, reach.OK: provisioner.Done, reach.Warn: provisioner.Done}[v]
}

func onChecks(t *testing.T, g *tuitest.Network, width, height int, change func(*Wizard)) *operator {
	t.Helper()
	return sit(t, reachable(newDesk().answer(t, whole()), g), width, height, change).at(t, session.ChecksPage)
}

func TestAServiceThatIsSlowWarnsAndLetsOneGoOn(t *testing.T) {
	g := tuitest.NewNetwork().Spoil(reach.Workstation, "NET-RH-004", tuitest.Slow())
	o := onChecks(t, g, 80, 24, nil)
	if got := o.currentPage().Mark(); got != theme.Warn {
		t.Errorf("the page is marked %v", got)
	}
	o.shows(t, "NOTHING IS IN THE WAY", "api.openshift.com ! ○", "too slow 4.2 s", "… 8 more ok")
	o.press("enter").inFront(t, session.ReviewPage)
}

func TestAServiceThatMustBeReachedIsInTheWayUntilItIsSkippedWithAReason(t *testing.T) {
	g := tuitest.NewNetwork().Spoil(reach.Workstation, "NET-RH-003", tuitest.Dropped())
	o := onChecks(t, g, 80, 24, nil)
	o.shows(t, "SOMETHING IS IN THE WAY", "› cdn01.quay.io ✗ ○", "DNS ✓ TCP ✗ no answer 5.0 s", "Fix Ask for the firewall to let cdn01.quay.io:443 through")
	o.press("alt+8").inFront(t, session.ChecksPage)
	o.press("x").shows(t, "Leave this check out", "NET-RH-003")
	o.press("enter").shows(t, "Say why")
	o.types("a mirror is used, see ticket 7").press("enter", "ctrl+u").types("x9").press("enter")
	if skip := o.session.Spec().Checks.Skip["NET-RH-003"]; skip != "a mirror is used, see ticket 7 until 2026-05-13" {
		t.Errorf("the answer is %q", skip)
	}
	if saved := o.desk.saves[len(o.desk.saves)-1]; saved.Spec.Checks.Skip["NET-RH-003"] == "" {
		t.Error("it is not saved")
	}
	o.shows2(t, "EVERYTHING IS IN PLACE").press("enter").inFront(t, session.ReviewPage)
}

func TestTheFormOfASkipTakesLettersAndEscClosesIt(t *testing.T) {
	o := onChecks(t, tuitest.NewNetwork().Spoil(reach.Workstation, "NET-RH-003", tuitest.Dropped()), 80, 24, nil)
	o.press("x").types("qe?3z")
	o.shows(t, "Reason qe?3z_")
	o.press("esc").shows2(t, "SOMETHING IS IN THE WAY").inFront(t, session.ChecksPage)
	if len(o.session.Spec().Checks.Skip) > 0 {
		t.Error("it is skipped all the same")
	}
}

func TestTheZoneIsLookedAtFromAfterAYesToItsTermsOnly(t *testing.T) {
	g := tuitest.NewNetwork().Spoil(reach.Zone, "NET-RH-002", tuitest.Intercepted())
	o := onChecks(t, g, 130, 40, nil)
	o.press("z").shows(t, "One machine in ch-gva-2 for 3 minutes, 0.01.", "› go back (default)")
	o.press("enter")
	if slices.Contains(o.desk.asked, "zone") {
		t.Fatal("it was done without a yes")
	}
	o.press("z", "down", "enter")
	o.shows(t, "registry.redhat.io ✓ ✗", "layers (zone)", `TLS ✗ issuer "Corp Proxy CA"`, "zone 8/9 ✗", "from this machine ✓ ok")
	if o.currentPage().Mark() != theme.Failed || o.currentPage().Close() {
		t.Error("what the zone cannot reach is not in the way")
	}
}

func TestWhatTheZoneSawHoldsUntilAnAnswerChanges(t *testing.T) {
	o := onChecks(t, tuitest.NewNetwork().Spoil(reach.Zone, "NET-RH-002", tuitest.Intercepted()), 80, 24, nil)
	o.press("z", "y", "r").shows(t, "zone 8/9 ✗")
	if err := o.session.Set("cluster.id", "c-demo-2"); err != nil {
		t.Fatal(err)
	}
	o.shows(t, "OLD the answers have changed since")
	o.press("r").hides(t, "zone 8/9")
	o.shows(t, "EVERYTHING IS IN PLACE")
	if n := count(o.desk.asked, "zone"); n != 1 {
		t.Errorf("a machine was started %d times for one yes", n)
	}
}

func TestSkippingWhatTheZoneCannotReachNeedsNoOtherLook(t *testing.T) {
	o := onChecks(t, tuitest.NewNetwork().Spoil(reach.Zone, "NET-RH-002", tuitest.Intercepted()), 80, 24, nil)
	o.press("z", "y", "x").types("exempted next week").press("enter", "enter")
	o.shows(t, "EVERYTHING IS IN PLACE", "zone 8/8 ✓")
	if n := count(o.desk.asked, "zone"); n != 1 {
		t.Errorf("a machine was started %d times", n)
	}
}

func TestALookFromTheZoneThatCannotBeMadeBlocksNothing(t *testing.T) {
	g := tuitest.NewNetwork()
	g.Err = errors.New("no machine\x1b[31m is left in the quota")
	o := onChecks(t, g, 80, 24, nil).press("z", "y")
	o.shows(t, "! Look from the zone warn no machine is left in the quota", "enter go on")
	o.press("enter").inFront(t, session.ReviewPage)
}

func TestAMachineInTheZoneEndsWithTheWizard(t *testing.T) {
	o := sit(t, reachable(newDesk().answer(t, whole()), tuitest.NewNetwork()), 80, 24, nil).at(t, session.ChecksPage)
	var ended error
	o.desk.CheckFromZone = func(ctx context.Context, _ state.Spec, _ wizard.Secrets, _ func(wizard.CheckState)) error {
		ended = ctx.Err()
		return ended
	}
	p := o.currentPage().(*checksPage)
	zoneRunner{p}.startZoneCheck()
	work := o.session.takeCommands()
	o.press("q").shows(t, "The machine in the zone is deleted first")
	p.Close()
	p.handleKey(tuitest.NewKey("z"))
	if p.popups.Open != nil {
		if _, asks := p.popups.Open.(*components.Dialog); asks {
			t.Error("another machine may be started while there is one")
		}
	}
	if o.do(work); ended == nil || o.session.zoneRuns != 0 {
		t.Errorf("it goes on: %v, %d", ended, o.session.zoneRuns)
	}
	o.waitZoneRuns()
}

func TestTheWizardWaitsForWhatIsInTheZone(t *testing.T) {
	o := sit(t, newDesk(), 80, 24, nil)
	left := make(chan struct{})
	o.session.zoneMu.RLock()
	go func() { o.waitZoneRuns(); close(left) }()
	select {
	case <-left:
		t.Error("it does not wait")
	default:
	}
	o.session.zoneMu.RUnlock()
	<-left
}

func TestTheWizardEndsOnceTheMachineInTheZoneIsGone(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	term, d := tuitest.NewTerminal(t), reachable(newDesk().answer(t, whole()), tuitest.NewNetwork())
	cancelled, tidied := make(chan struct{}), make(chan struct{})
	d.CheckFromZone = func(ctx context.Context, _ state.Spec, _ wizard.Secrets, _ func(wizard.CheckState)) error {
		<-ctx.Done()
		close(cancelled)
		<-tidied
		return ctx.Err()
	}
	end := asks(t.Context(), t, term, d)
	term.Await(t, "[1 Access")
	term.Press(t, "\x1b7")
	term.Await(t, "EVERYTHING IS IN PLACE")
	term.Press(t, "z")
	term.Await(t, "Look from the zone?")
	term.Press(t, "y")
	term.Await(t, "LOOKING FROM THE ZONE")
	term.Press(t, "\x03")
	term.Await(t, "is deleted first")
	term.Press(t, "\x03")
	<-cancelled
	tuitest.CheckPending(t, end)
	close(tidied)
	if err := <-end; err != nil {
		t.Error(err)
	}
}

func TestTheWizardsFirewallRequestAndTestsAreThere(t *testing.T) {
	o := onChecks(t, tuitest.NewNetwork().Spoil(reach.Workstation, "NET-RH-003", tuitest.Dropped()), 80, 24, nil)
	o.press("f").shows(t, "Firewall request", "cdn01.quay.io 443/tcp")
	o.press("esc", "c").shows(t, "given to the terminal's clipboard, if it has one: openssl s_client")
	o.press("enter").shows(t, "NET-RH-003", "esc close")
	o.press("esc", "a").shows(t, "Exoscale")
	o.press("?").shows(t, "z looks from a small machine in the zone")
}

func TestTheWizardsChecksOfReachabilityLookAsRecorded(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		for _, ascii := range []bool{false, true} {
			if ascii && size[0] != 80 {
				continue
			}
			g := tuitest.NewNetwork().Spoil(reach.Workstation, "NET-RH-004", tuitest.Slow()).Spoil(reach.Zone, "NET-RH-002", tuitest.Intercepted())
			o := onChecks(t, g, size[0], size[1], func(w *Wizard) { w.ASCII = ascii }).press("z", "y")
			name := fmt.Sprintf("checks-reach-%dx%d%s", size[0], size[1], map[bool]string{true: "-ascii"}[ascii])
			tuitest.Golden(t, name, o.View())
			tuitest.CheckScreen(t, o.View(), size[0], size[1])
		}
	}
}

func TestServicesWithHostileNamesAreHarmlessInTheWizard(t *testing.T) {
	g := tuitest.NewNetwork().Spoil(reach.Workstation, "NET-RH-003", tuitest.Dropped())
	for i := range g.Checks {
		c := &g.Checks[i]
		c.Title, c.Reason, c.Owner, c.Group = tuitest.Hostile, tuitest.Hostile, tuitest.Hostile, tuitest.Hostile
	}
	o := onChecks(t, g, 120, 40, nil)
	for _, key := range []string{"down", "a", "x", "esc", "enter", "esc", "f", "esc", "?"} {
		tuitest.CheckScreen(t, o.press(key).View(), 120, 40)
	}
	if strings.Contains(o.View(), "\x1b") {
		t.Error("a control character reaches the terminal")
	}
}
