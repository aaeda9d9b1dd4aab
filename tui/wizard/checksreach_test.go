package wizard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard"
	"exoshift/wizard/reach"
	"exoshift/wizard/session"
)

// addNetwork has the interview probe services, too: from here with the other checks, and from the zone. Checks that the answers skip
// are skipped.
func addNetwork(d *fakeInterview, g *tuitest.Network) *fakeInterview {
	tellAll := func(spec state.Spec, vantage string, emit func(wizard.CheckState)) (failed bool) {
		for _, check := range g.Checks {
			emit(wizard.CheckState{ID: check.ID, Title: check.Title, State: provisioner.Started, Reach: &wizard.ReachState{
				Check: check, Result: reach.Result{ID: check.ID, Source: vantage},
			}})
		}
		for _, check := range g.Checks {
			r := g.Result(vantage, check)
			if reason, skipped := spec.Checks.Skip[check.ID]; skipped {
				r.Verdict, r.Class, r.Hint, r.Evidence = reach.Skipped, "", "", map[string]string{reach.EvidenceSkipped: reason}
			}
			failed = failed || r.Verdict == reach.Fail
			emit(wizard.CheckState{ID: check.ID, Title: check.Title, State: mapVerdict(r.Verdict), Reach: &wizard.ReachState{Check: check, Result: r}})
		}
		return failed
	}
	d.Check = func(_ context.Context, spec state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		d.calls = append(d.calls, "checks")
		emit(wizard.CheckState{ID: "credentials", Title: "Check the credentials", State: provisioner.Done})
		step := wizard.CheckState{ID: "reachability", Title: "Check connectivity", State: provisioner.Done}
		if tellAll(spec, reach.Workstation, emit) {
			step.State, step.Text = provisioner.Failed, "something cannot be reached"
		}
		emit(step)
		return nil
	}
	d.CheckFromZone = func(_ context.Context, spec state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		d.calls = append(d.calls, "zone")
		if g.Err == nil {
			tellAll(spec, reach.Zone, emit)
		}
		return g.Err
	}
	d.ZoneTerms = func(s state.Spec) string { return "One machine in " + s.Exoscale.Zone + " for 3 minutes, 0.01." }
	return d
}

func mapVerdict(v reach.Verdict) string {
	return map[reach.Verdict]string{reach.Fail: provisioner.Failed, reach.Skipped: provisioner.Skipped, reach.OK: provisioner.Done, reach.Warn: provisioner.Done}[v]
}

func openChecks(t *testing.T, g *tuitest.Network, width, height int, change func(*Options)) *driver {
	t.Helper()
	return openWizard(t, addNetwork(newInterview().answer(t, completeAnswers()), g), width, height, change).openPage(t, session.ChecksPage)
}

func TestChecksPage_WarningDoesNotBlock(t *testing.T) {
	g := tuitest.NewNetwork().Disrupt(reach.Workstation, "NET-RH-004", tuitest.Slow())
	o := openChecks(t, g, 80, 24, nil)
	if got := o.currentPage().Mark(); got != theme.Warn {
		t.Errorf("the page is marked %v", got)
	}
	o.Shows(t, "CHECKS PASSED WITH WARNINGS", "api.openshift.com ! ○", "too slow 4.2 s", "… 8 more ok")
	o.Press("enter").checkPage(t, session.ReviewPage)
}

func TestChecksPage_SkipUnblocks(t *testing.T) {
	g := tuitest.NewNetwork().Disrupt(reach.Workstation, "NET-RH-003", tuitest.Dropped())
	o := openChecks(t, g, 80, 24, nil)
	o.Shows(t, "CHECKS FAILED", "› cdn01.quay.io ✗ ○", "DNS ✓ TCP ✗ no answer 5.0 s", "Fix Ask for the firewall to let cdn01.quay.io:443 through")
	o.Press("alt+8").checkPage(t, session.ChecksPage)
	o.Press("x").Shows(t, "Skip this check", "NET-RH-003")
	o.Press("enter").Shows(t, "Enter a reason")
	o.Type("a mirror is used, see ticket 7").Press("enter", "ctrl+u").Type("x9").Press("enter")
	o.Shows(t, "Days x9_", "Not a number of days")
	o.Press("ctrl+w").Type("9").Press("enter")
	if skip := o.session.Spec().Checks.Skip["NET-RH-003"]; skip != "a mirror is used, see ticket 7 until 2026-05-13" {
		t.Errorf("the answer is %q", skip)
	}
	if saved := o.interview.saved[len(o.interview.saved)-1]; saved.Spec.Checks.Skip["NET-RH-003"] == "" {
		t.Error("it is not saved")
	}
	o.Shows(t, "CHECKS PASSED").Press("enter").checkPage(t, session.ReviewPage)
}

func TestChecksPage_SkipFormEsc(t *testing.T) {
	o := openChecks(t, tuitest.NewNetwork().Disrupt(reach.Workstation, "NET-RH-003", tuitest.Dropped()), 80, 24, nil)
	o.Press("x").Type("qe?3z")
	o.Shows(t, "Reason qe?3z_")
	o.Press("esc").Shows(t, "CHECKS FAILED").checkPage(t, session.ChecksPage)
	if len(o.session.Spec().Checks.Skip) > 0 {
		t.Error("it is skipped all the same")
	}
}

func TestChecksPage_ZoneNeedsConfirmation(t *testing.T) {
	g := tuitest.NewNetwork().Disrupt(reach.Zone, "NET-RH-002", tuitest.Intercepted())
	o := openChecks(t, g, 130, 40, nil)
	o.Press("z").Shows(t, "One machine in ch-gva-2 for 3 minutes, 0.01.", "› cancel (default)")
	o.Press("enter")
	if slices.Contains(o.interview.calls, "zone") {
		t.Fatal("it was done without a yes")
	}
	o.Press("z", "down", "enter")
	o.Shows(t, "registry.redhat.io ✓ ✗", "layers (zone)", `TLS ✗ issuer "Corp Proxy CA"`, "zone 8/9 ✗", "from this machine ✓ ok")
	if o.currentPage().Mark() != theme.Failed || o.currentPage().Close() {
		t.Error("what the zone cannot reach is not in the way")
	}
}

func TestChecksPage_ZoneResultsHoldUntilChange(t *testing.T) {
	o := openChecks(t, tuitest.NewNetwork().Disrupt(reach.Zone, "NET-RH-002", tuitest.Intercepted()), 80, 24, nil)
	o.Press("z", "y", "r").Shows(t, "zone 8/9 ✗")
	if err := o.session.Set("cluster.id", "c-demo-2"); err != nil {
		t.Fatal(err)
	}
	o.Shows(t, "OLD the answers have changed")
	o.Press("r").Hides(t, "zone 8/9")
	o.Shows(t, "CHECKS PASSED")
	if n := count(o.interview.calls, "zone"); n != 1 {
		t.Errorf("a machine was started %d times for one yes", n)
	}
}

func TestChecksPage_SkipKeepsZoneResults(t *testing.T) {
	o := openChecks(t, tuitest.NewNetwork().Disrupt(reach.Zone, "NET-RH-002", tuitest.Intercepted()), 80, 24, nil)
	o.Press("z", "y", "x").Type("exempted next week").Press("enter", "enter")
	o.Shows(t, "CHECKS PASSED", "zone 8/8 ✓")
	if n := count(o.interview.calls, "zone"); n != 1 {
		t.Errorf("a machine was started %d times", n)
	}
}

func TestChecksPage_ZoneErrorIsWarning(t *testing.T) {
	g := tuitest.NewNetwork()
	g.Err = errors.New("no machine\x1b[31m is left in the quota")
	o := openChecks(t, g, 80, 24, nil).Press("z", "y")
	o.Shows(t, "! Check from the zone warn no machine is left in the quota", "enter continue")
	o.Press("enter").checkPage(t, session.ReviewPage)
}

func TestChecksPage_CloseCancelsZone(t *testing.T) {
	o := openChecks(t, tuitest.NewNetwork(), 80, 24, nil)
	var ended error
	o.interview.CheckFromZone = func(ctx context.Context, _ state.Spec, _ wizard.Secrets, _ func(wizard.CheckState)) error {
		ended = ctx.Err()
		return ended
	}
	held := o.holdCommands(t)
	o.Press("z", "y").Shows(t, "CHECKING FROM THE ZONE")
	o.Press("q").Shows(t, "The instance in the zone is deleted first").Press("esc")
	o.currentPage().Close()
	o.Press("z").Shows(t, "The instance of the last check is still being deleted").Hides(t, "Check from the zone?")
	if o.Send((*held)[0]()); ended == nil || o.session.Checks.IsZoneLeft() {
		t.Errorf("it goes on: %v, %v", ended, o.session.Checks.IsZoneLeft())
	}
	o.waitZoneRuns()
}

func TestRun_EndsAfterZoneRun(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	term, d := tuitest.NewTerminal(t), addNetwork(newInterview().answer(t, completeAnswers()), tuitest.NewNetwork())
	cancelled, tidied := make(chan struct{}), make(chan struct{})
	d.CheckFromZone = func(ctx context.Context, _ state.Spec, _ wizard.Secrets, _ func(wizard.CheckState)) error {
		<-ctx.Done()
		close(cancelled)
		<-tidied
		return ctx.Err()
	}
	end := runOnTerminal(t.Context(), t, term, d)
	term.Await(t, "[1 Access")
	term.Press(t, "\x1b7")
	term.Await(t, "CHECKS PASSED")
	term.Press(t, "z")
	term.Await(t, "Check from the zone?")
	term.Press(t, "y")
	term.Await(t, "CHECKING FROM THE ZONE")
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

func TestChecksPage_FirewallRequestAndCopy(t *testing.T) {
	o := openChecks(t, tuitest.NewNetwork().Disrupt(reach.Workstation, "NET-RH-003", tuitest.Dropped()), 80, 24, nil)
	o.Press("f").Shows(t, "Firewall request", "cdn01.quay.io 443/tcp")
	o.Press("esc", "c").Shows(t, "copied to the clipboard, if supported: ")
	o.Press("enter").Shows(t, "NET-RH-003", "esc back")
	o.Press("esc", "a").Shows(t, "Exoscale")
	o.Press("?").Shows(t, "z also checks from a small instance")
}

func TestChecksPage_EndpointsGolden(t *testing.T) {
	for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
		for _, ascii := range []bool{false, true} {
			if ascii && size[0] != 80 {
				continue
			}
			g := tuitest.NewNetwork().Disrupt(reach.Workstation, "NET-RH-004", tuitest.Slow()).Disrupt(reach.Zone, "NET-RH-002", tuitest.Intercepted())
			o := openChecks(t, g, size[0], size[1], func(w *Options) { w.ASCII = ascii }).Press("z", "y")
			name := fmt.Sprintf("checks-reach-%dx%d%s", size[0], size[1], map[bool]string{true: "-ascii"}[ascii])
			tuitest.Golden(t, name, o.View())
			tuitest.CheckScreen(t, o.View(), size[0], size[1])
		}
	}
}

func TestChecksPage_HostileNames(t *testing.T) {
	g := tuitest.NewNetwork().Disrupt(reach.Workstation, "NET-RH-003", tuitest.Dropped())
	for i := range g.Checks {
		c := &g.Checks[i]
		c.Title, c.Reason, c.Owner, c.Group = tuitest.Hostile, tuitest.Hostile, tuitest.Hostile, tuitest.Hostile
	}
	o := openChecks(t, g, 120, 40, nil)
	for _, key := range []string{"down", "a", "x", "esc", "enter", "esc", "f", "esc", "?"} {
		tuitest.CheckScreen(t, o.Press(key).View(), 120, 40)
	}
	if strings.Contains(o.View(), "\x1b") {
		t.Error("a control character reaches the terminal")
	}
}
