package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/app"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

func TestTheOutsideIsAskedOnceTheAnswersAreThereAndAPauseHasPassed(t *testing.T) {
	d := newDesk().inquires(wizard.Cluster, "Names", []string{"cluster.id", "cluster.baseDomain"}, wizard.LookupResult{Summary: "free"}, nil)
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	o.types("c-demo-1").press("enter").shows(t, "Names: asked as soon as its answers are there")
	o.pass(time.Second)
	o.types("example.net").press("enter").shows(t, "● Names: checking…")
	if o.pass(session.LookupDelay - 1); len(d.asked) > 0 {
		t.Error("the outside is asked while somebody types")
	}
	o.pass(1)
	if o.shows(t, "checking…"); len(d.asked) != 1 {
		t.Errorf("asked %d times", len(d.asked))
	}
	o.pass(minBusyTime)
	o.shows(t, "✓ Names: free (just now)")
	o.pass(30 * time.Second)
	o.shows(t, "✓ Names: free (30s ago)")
	if o.press("ctrl+r"); len(d.asked) != 2 {
		t.Errorf("ctrl+r asks %d times", len(d.asked)-1)
	}
}

// slow is a lookup that returns on request.
type slow struct {
	stopped []error // state of each context when the lookup returned; later, every one is done
	specs   []state.Spec
}

func (s *slow) inquiry() wizard.Lookup {
	return wizard.Lookup{ID: "slow", Title: "Slow", Screen: wizard.Cluster, Keys: []string{"cluster.id"},
		Run: func(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
			s.stopped, s.specs = append(s.stopped, ctx.Err()), append(s.specs, spec)
			return wizard.LookupResult{Summary: "about " + spec.Cluster.ID}, ctx.Err()
		}}
}

func TestAReplyAboutOldAnswersIsDroppedAndItsInquiryCancelled(t *testing.T) {
	d, outside := newDesk(), &slow{}
	d.Lookups = []wizard.Lookup{outside.inquiry()}
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	var held []tea.Cmd
	o.spawn, o.session.spawn = nil, func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := app.NewSpawn(t.Context())(work)
		held = append(held, cmd)
		return nil, cancel
	}
	o.types("c-one").press("enter").pass(session.LookupDelay)
	q := func() session.Lookup { return o.session.Lookups.List()[0] }
	first := held[len(held)-1]
	o.press("up").types("-two").press("enter").pass(session.LookupDelay)
	last := held[len(held)-1]
	o.tell(first())
	if !errors.Is(outside.stopped[0], context.Canceled) || q().State != session.Running {
		t.Errorf("the first inquiry: %v, state %v", outside.stopped[0], q().State)
	}
	o.tell(last())
	if q().State != session.Known || q().Result.Summary != "about c-one-two" {
		t.Errorf("the reply is %+v", q().Result)
	}
}

func TestNobodyCouldTellIsAmberAndStopsNobody(t *testing.T) {
	gone := errors.New("dial tcp: network is unreachable\x1b[31m")
	d := newDesk().answer(t, whole()).inquires(wizard.Access, "Zones", []string{"exoscale.zone"}, wizard.LookupResult{}, gone)
	o := sit(t, d, 80, 24, nil)
	o.pass(2 * time.Second)
	o.shows(t, "! Zones: nobody could tell (ctrl+r tries again): dial tcp: network is", " unreachable")
	o.press("pgdown", "enter").inFront(t, wizard.Cluster)
	if mark := (wizardView{o.wizardModel}).computeMark(0); mark != theme.Warn {
		t.Errorf("the screen's mark is %s", mark.Word())
	}
}

func TestARedReplyBlocksNextAndIsToldAtItsField(t *testing.T) {
	taken := wizard.LookupResult{Problems: []wizard.Problem{{Field: "cluster.id", Message: "c-demo-1 exists already"}}}
	d := newDesk().answer(t, whole()).inquires(wizard.Cluster, "Names", []string{"cluster.id"}, taken, nil)
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	o.press("pgdown", "enter").inFront(t, wizard.Cluster)
	o.shows(t, "✗ c-demo-1 exists already")
	o.press("ctrl+u").types("c-demo-2").press("enter").hides(t, "exists already")
}

func TestARedReplyAboutNoFieldIsToldAndBlocksNext(t *testing.T) {
	closed := wizard.LookupResult{Problems: []wizard.Problem{{Message: "the organization is suspended"}}}
	o := sit(t, newDesk().answer(t, whole()).inquires(wizard.Access, "Zones", nil, closed, nil), 80, 24, nil)
	o.press("pgdown", "enter").inFront(t, wizard.Access)
	o.pass(2 * time.Second)
	o.shows(t, "✗ Zones", "the organization is suspended")
}

// A lookup reports an error of an earlier screen's answer after the operator has left that screen.
func TestWhatTurnsRedBehindSomebodyStopsThemBeforeTheChecks(t *testing.T) {
	d := newDesk().answer(t, whole())
	var taken []wizard.Problem
	d.Lookups = []wizard.Lookup{{ID: "names", Title: "Names", Screen: wizard.Cluster, Keys: []string{"cluster.id"},
		Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) {
			return wizard.LookupResult{Problems: taken}, nil
		}}}
	o := sit(t, d, 80, 24, nil).at(t, wizard.Secrecy)
	if err := o.session.Set(pullSecretField, "file:"+keptIn(t, d)); err != nil {
		t.Fatal(err)
	}
	taken = []wizard.Problem{{Field: "cluster.id", Message: "it exists already"}}
	o.session.Refresh()
	o.do(o.session.takeCommands())
	o.press("pgdown", "enter").inFront(t, wizard.Cluster)
	o.shows(t, "it exists already", "something here has to be put right first")
}

func keptIn(t *testing.T, d *desk) string {
	t.Helper()
	reference, err := d.SaveSecret(pullSecretField, realPullSecret())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(reference, "file:")
}

func TestWhatTheOutsideSaysReachesTheTerminalHarmless(t *testing.T) {
	evil := "x\x1b]0;owned\x07\u202e"
	reply := wizard.LookupResult{
		Summary: evil, Warnings: []wizard.Problem{{Field: "exoscale.zone", Message: evil}},
		Choices: map[string][]wizard.Choice{"exoscale.zone": {{Value: evil, Note: evil}}},
	}
	o := sit(t, newDesk().answer(t, whole()).inquires(wizard.Access, evil, nil, reply, nil), 80, 24, nil)
	o.pass(2 * time.Second)
	o.currentPage().(focuser).Focus("exoscale.zone")
	for _, view := range []string{o.View(), o.press("space").View()} {
		if strings.ContainsAny(view, "\x1b\x07\u202e") {
			t.Errorf("a control character is shown:\n%q", view)
		}
	}
}

func TestEndingTheWizardEndsWhatGoesOnInTheBackground(t *testing.T) {
	d, outside := newDesk().answer(t, whole()), &slow{}
	o := sit(t, d, 80, 24, nil)
	d.Lookups = []wizard.Lookup{outside.inquiry()}
	o.session.Session = session.New(d.Interview, o.wizard.Now)
	var held []tea.Cmd
	o.session.spawn = func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := app.NewSpawn(t.Context())(work)
		held = append(held, cmd)
		return nil, cancel
	}
	o.do(o.session.takeCommands())
	if err := o.close(); err != nil || o.session.Lookups.IsRunning() {
		t.Errorf("an inquiry goes on, %v", err)
	}
	held[len(held)-1]()
	if len(outside.stopped) != 1 || !errors.Is(outside.stopped[0], context.Canceled) {
		t.Errorf("it was not cancelled: %v", outside.stopped)
	}
}
