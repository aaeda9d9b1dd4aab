package wizard

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

func TestLookup_RunsAfterDelay(t *testing.T) {
	d := newInterview().addLookup(wizard.Cluster, "Names", []string{"cluster.id", "cluster.baseDomain"}, wizard.LookupResult{Summary: "free"}, nil)
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	o.Type("c-demo-1").Press("enter").Shows(t, "Names: runs once its inputs are set")
	o.Advance(time.Second)
	o.Type("example.net").Press("enter").Shows(t, "● Names: checking…")
	if o.Advance(session.LookupDelay - 1); len(d.calls) > 0 {
		t.Error("the outside is asked while somebody types")
	}
	o.Advance(1)
	if o.Shows(t, "checking…"); len(d.calls) != 1 {
		t.Errorf("asked %d times", len(d.calls))
	}
	o.Advance(page.MinBusyTime)
	o.Shows(t, "✓ Names: free (just now)")
	o.Advance(30 * time.Second)
	o.Shows(t, "✓ Names: free (30s ago)")
	if o.Press("ctrl+r"); len(d.calls) != 2 {
		t.Errorf("ctrl+r asks %d times", len(d.calls)-1)
	}
}

// slowLookup is a lookup that returns on request.
type slowLookup struct {
	stopped []error // state of each context when the lookup returned; later, every one is done
	specs   []state.Spec
}

func (s *slowLookup) newLookup() wizard.Lookup {
	return wizard.Lookup{ID: "slow", Title: "Slow", Screen: wizard.Cluster, Keys: []string{"cluster.id"},
		Run: func(ctx context.Context, spec state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
			s.stopped, s.specs = append(s.stopped, ctx.Err()), append(s.specs, spec)
			return wizard.LookupResult{Summary: "about " + spec.Cluster.ID}, ctx.Err()
		}}
}

func TestLookup_OutdatedIsCancelled(t *testing.T) {
	d, outside := newInterview(), &slowLookup{}
	d.Lookups = []wizard.Lookup{outside.newLookup()}
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	held := o.holdCommands(t)
	o.Type("c-one").Press("enter").Advance(session.LookupDelay)
	q := func() session.Lookup { return o.session.Lookups.List()[0] }
	first := (*held)[len(*held)-1]
	o.Press("up").Type("-two").Press("enter").Advance(session.LookupDelay)
	last := (*held)[len(*held)-1]
	o.Send(first())
	if !errors.Is(outside.stopped[0], context.Canceled) || q().State != session.Running {
		t.Errorf("the first inquiry: %v, state %v", outside.stopped[0], q().State)
	}
	o.Send(last())
	if q().State != session.Known || q().Result.Summary != "about c-one-two" {
		t.Errorf("the reply is %+v", q().Result)
	}
}

func TestLookup_FailureDoesNotBlock(t *testing.T) {
	gone := errors.Join(errors.New("dial tcp: network is unreachable\x1b[31m"), errors.New("list zones: EOF"))
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Access, "Zones", []string{"exoscale.zone"}, wizard.LookupResult{}, gone)
	o := openWizard(t, d, 80, 24, nil)
	o.Advance(2 * time.Second)
	o.Shows(t, "! Zones: lookup failed (ctrl+r retries): dial tcp: network is", " unreachable", "; list zones: EOF")
	o.Press("pgdown", "enter").checkPage(t, wizard.Cluster)
	if mark := (frame{o.model}).computeMark(0); mark != theme.Warn {
		t.Errorf("the screen's mark is %s", mark.Word())
	}
}

func TestLookup_ProblemBlocks(t *testing.T) {
	taken := wizard.LookupResult{Problems: []wizard.Problem{{Field: "cluster.id", Message: "c-demo-1 exists already"}}}
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Cluster, "Names", []string{"cluster.id"}, taken, nil)
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	o.Press("pgdown", "enter").checkPage(t, wizard.Cluster)
	o.Shows(t, "✗ c-demo-1 exists already")
	o.Press("ctrl+u").Type("c-demo-2").Press("enter").Hides(t, "exists already")
}

func TestLookup_ProblemWithoutFieldBlocks(t *testing.T) {
	closed := wizard.LookupResult{Problems: []wizard.Problem{{Message: "the organization is suspended"}}}
	o := openWizard(t, newInterview().answer(t, completeAnswers()).addLookup(wizard.Access, "Zones", nil, closed, nil), 80, 24, nil)
	o.Press("pgdown", "enter").checkPage(t, wizard.Access)
	o.Advance(2 * time.Second)
	o.Shows(t, "✗ Zones", "the organization is suspended")
}

// A lookup reports an error of an earlier screen's answer after the operator has left that screen.
func TestLookup_LateProblemBlocksChecks(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	var taken []wizard.Problem
	d.Lookups = []wizard.Lookup{{ID: "names", Title: "Names", Screen: wizard.Cluster, Keys: []string{"cluster.id"},
		Run: func(context.Context, state.Spec, wizard.Secrets) (wizard.LookupResult, error) {
			return wizard.LookupResult{Problems: taken}, nil
		}}}
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Secrecy)
	if err := o.session.Set(pullSecretField, "file:"+saveSecretFile(t, d)); err != nil {
		t.Fatal(err)
	}
	taken = []wizard.Problem{{Field: "cluster.id", Message: "it exists already"}}
	o.session.Refresh()
	o.Run(o.session.TakeCommands())
	o.Press("pgdown", "enter").checkPage(t, wizard.Cluster)
	o.Shows(t, "it exists already", "fix the errors on this screen first")
}

func saveSecretFile(t *testing.T, d *fakeInterview) string {
	t.Helper()
	reference, err := d.SaveSecret(pullSecretField, newPullSecret())
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(reference, "file:")
}

func TestLookup_ResultIsSanitized(t *testing.T) {
	evil := "x\x1b]0;owned\x07\u202e"
	reply := wizard.LookupResult{
		Summary: evil, Warnings: []wizard.Problem{{Field: "exoscale.zone", Message: evil}},
		Choices: map[string][]wizard.Choice{"exoscale.zone": {{Value: evil, Note: evil}}},
	}
	o := openWizard(t, newInterview().answer(t, completeAnswers()).addLookup(wizard.Access, evil, nil, reply, nil), 80, 24, nil)
	o.Advance(2 * time.Second)
	o.currentPage().(page.Focuser).Focus("exoscale.zone")
	for _, view := range []string{o.View(), o.Press("space").View()} {
		if strings.ContainsAny(view, "\x1b\x07\u202e") {
			t.Errorf("a control character is shown:\n%q", view)
		}
	}
}

func TestLookup_CancelledByClose(t *testing.T) {
	d, outside := newInterview().answer(t, completeAnswers()), &slowLookup{}
	o := openWizard(t, d, 80, 24, nil)
	d.Lookups = []wizard.Lookup{outside.newLookup()}
	o.session.Session = session.New(d.Interview, o.options.Now)
	held := o.holdCommands(t)
	o.Run(o.session.TakeCommands())
	if err := o.close(); err != nil || o.session.Lookups.IsRunning() {
		t.Errorf("an inquiry goes on, %v", err)
	}
	(*held)[len(*held)-1]()
	if len(outside.stopped) != 1 || !errors.Is(outside.stopped[0], context.Canceled) {
		t.Errorf("it was not cancelled: %v", outside.stopped)
	}
}
