package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"
	"exoshift/wizard"
	"exoshift/wizard/session"
)

// withChecks reports the start and the end of each check, as an installation does.
func withChecks(d *desk, states ...wizard.CheckState) *desk {
	d.Check = func(_ context.Context, _ state.Spec, _ wizard.Secrets, tell func(wizard.CheckState)) error {
		d.asked = append(d.asked, "checks")
		for _, s := range states {
			tell(wizard.CheckState{ID: s.ID, Title: s.Title})
		}
		var failure error
		for _, s := range states {
			begun := s
			begun.State, begun.Text, begun.Hint = provisioner.Started, "", ""
			tell(begun)
			d.now = d.now.Add(1500 * time.Millisecond)
			tell(s)
			if s.State == provisioner.Failed {
				failure = errors.New(s.Text)
			}
		}
		return failure
	}
	return d
}

func goodChecks() []wizard.CheckState {
	return []wizard.CheckState{
		{ID: "credentials", Title: "Check the credentials, the zone and the clock", State: provisioner.Done},
		{ID: "manifests", Title: "Read what is installed with the cluster", State: provisioner.Skipped, Text: "no directory of manifests"},
		{ID: "permissions", Title: "Look at everything that is there", State: provisioner.Done, Text: "objects: 3, of this cluster: 0"},
		{ID: "openshift-install", Title: "Download and verify openshift-install", State: provisioner.Done, Text: "openshift-install 4.20.5"},
		{ID: "offers", Title: "Check instance types, templates and hypervisors", State: provisioner.Done},
		{ID: "quotas", Title: "Check the quotas and estimate the cost", State: provisioner.Done, Text: "instance: needs 16 more, 0 in use, 50 allowed, 16 afterwards"},
	}
}

// lostType is the result for a zone that does not offer a type any more.
func lostType() []wizard.CheckState {
	states := goodChecks()
	states[4].State, states[4].Text = provisioner.Failed, "zone ch-gva-2 offers no cpu.extra-large, which storage-0 asks for"
	states[4].Hint, states[4].Field = "choose another type in the answers", "sizing.storage.type"
	states[5].State, states[5].Text = provisioner.Skipped, `not reached, because "Check instance types, templates and hypervisors" did not succeed`
	return states
}

func TestChecksRunOnEnteringAndTheirResultHolds(t *testing.T) {
	d := withChecks(newDesk().answer(t, whole()), goodChecks()...)
	o := sit(t, d, 80, 24, nil).at(t, session.ChecksPage)
	if got := o.currentPage().Mark(); got != theme.OK {
		t.Fatalf("the checks are %v:\n%s", got, o.View())
	}
	o.at(t, wizard.Access).at(t, session.ChecksPage)
	if n := count(d.asked, "checks"); n != 1 {
		t.Errorf("they ran %d times although no answer changed", n)
	}
	o.press("r")
	if n := count(d.asked, "checks"); n != 2 {
		t.Errorf("after r they had run %d times", n)
	}
}

func TestChecksRunAgainOnceAnAnswerChanged(t *testing.T) {
	d := withChecks(newDesk().answer(t, whole()), goodChecks()...)
	o := sit(t, d, 80, 24, nil).at(t, session.ChecksPage)
	if err := o.session.Set("cluster.id", "c-demo-2"); err != nil {
		t.Fatal(err)
	}
	if got := o.currentPage().Mark(); got != theme.Waiting {
		t.Errorf("results about other answers are marked %v", got)
	}
	o.at(t, wizard.Access).at(t, session.ChecksPage)
	if n := count(d.asked, "checks"); n != 2 || o.currentPage().Mark() != theme.OK {
		t.Errorf("they ran %d times and are %v", n, o.currentPage().Mark())
	}
}

func TestAFailedCheckIsInTheWayAndLeadsToTheAnswer(t *testing.T) {
	d := withChecks(newDesk().answer(t, whole()), lostType()...)
	o := sit(t, d, 80, 24, nil).at(t, session.ChecksPage)
	o.press("alt+8")
	if screen := o.pages[o.current].screen; screen != session.ChecksPage {
		t.Fatalf("went on to %s", screen)
	}
	if view := o.View(); !strings.Contains(view, "sizing.storage.type") {
		t.Errorf("it is not told which answer to change, or why a check was skipped:\n%s", view)
	}
	if why := o.press("down").View(); !strings.Contains(why, `because "Check instance types, templates and`) {
		t.Errorf("it is not told why a check was skipped:\n%s", why)
	}
	o.press("enter").press("enter") // to the failed check, and on to the answer
	if screen := o.pages[o.current].screen; screen != wizard.Nodes {
		t.Errorf("enter went to %s", screen)
	}
}

func TestChecksThatHaveNotBegunWait(t *testing.T) {
	o := sit(t, newDesk().answer(t, whole()), 80, 24, nil)
	p := newChecksPage(o.session)
	p.Open()
	for _, s := range goodChecks() {
		p.Update(checkStateMsg{generation: p.generation, state: wizard.CheckState{ID: s.ID, Title: s.Title}})
	}
	p.Update(checkStateMsg{generation: p.generation, state: wizard.CheckState{ID: "permissions", Title: "Look at everything that is there", State: provisioner.Started}})
	if view := p.View(80, 20); strings.Count(view, "○") < len(goodChecks())-1 || !strings.Contains(view, "› ● Look at everything") {
		t.Errorf("it is not told what is still to come, or what goes on:\n%s", view)
	}
}

func TestLettersAndDigitsAreKeysWhereNothingIsFilledIn(t *testing.T) {
	d := withChecks(newDesk().answer(t, whole()), goodChecks()...)
	o := sit(t, d, 80, 24, nil).at(t, session.ChecksPage)
	o.press("e").shows(t, "/data/you/c-demo-1.yaml")
	o.press("3").inFront(t, wizard.Nodes)
	o.at(t, session.ChecksPage).press("q").shows(t, "Leave the wizard?")
}

func TestEnterGoesOnFromGoodChecks(t *testing.T) {
	d := withChecks(newDesk().answer(t, whole()), goodChecks()...)
	o := sit(t, d, 80, 24, nil).at(t, session.ChecksPage).press("enter")
	if screen := o.pages[o.current].screen; screen != session.ReviewPage {
		t.Errorf("enter stays at %s", screen)
	}
}

func TestChecksThatCannotRunSayWhy(t *testing.T) {
	d := newDesk().answer(t, whole())
	d.Check = func(context.Context, state.Spec, wizard.Secrets, func(wizard.CheckState)) error {
		return errors.New("the network is\x1b[31m gone")
	}
	o := sit(t, d, 80, 24, nil).at(t, session.ChecksPage)
	view := o.View()
	if o.currentPage().Mark() != theme.Failed || !strings.Contains(view, "the network is gone") || strings.Contains(view, "\x1b[31m") {
		t.Errorf("%v:\n%s", o.currentPage().Mark(), view)
	}
}

func TestLeavingCancelsTheChecksAndWhatTheySayLaterIsDropped(t *testing.T) {
	d := newDesk().answer(t, whole())
	o := sit(t, d, 80, 24, nil)
	p := newChecksPage(o.session)
	var stopped []error // state of each run's context when it returned
	d.Check = func(c context.Context, _ state.Spec, _ wizard.Secrets, _ func(wizard.CheckState)) error {
		stopped = append(stopped, c.Err())
		return c.Err()
	}
	p.Open()
	first, run := p.generation, o.session.takeCommands()
	if p.Mark() != theme.Running || p.Close() {
		t.Error("checks that run let one go on")
	}
	o.do(run)
	if len(stopped) != 1 || stopped[0] == nil {
		t.Error("the work goes on although the page was left")
	}
	p.Open() // results of the first run are reported while the second one runs
	p.Update(checkStateMsg{generation: first, state: wizard.CheckState{ID: "x"}})
	p.Update(checksEndedMsg{generation: first})
	if p.known || !p.running || len(p.rows) > 0 {
		t.Error("what was cancelled is heard")
	}
}

func TestTheChecksLookAsRecorded(t *testing.T) {
	for name, states := range map[string][]wizard.CheckState{"good": goodChecks(), "bad": lostType()} {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			for _, ascii := range []bool{false, true} {
				if ascii && size[0] != 80 {
					continue
				}
				o := sit(t, withChecks(newDesk().answer(t, whole()), states...), size[0], size[1], func(w *Wizard) { w.ASCII = ascii })
				view := body(o.at(t, session.ChecksPage))
				tuitest.Golden(t, fmt.Sprintf("checks-%s-%dx%d%s", name, size[0], size[1], map[bool]string{true: "-ascii"}[ascii]), view)
			}
		}
	}
}

// body returns the current page without the frame of the wizard.
func body(o *operator) string {
	view := o.currentPage().View(o.width, o.height-7)
	if o.wizard.ASCII {
		return cells.ToASCII(view)
	}
	return view
}

func count(words []string, word string) int {
	n := 0
	for _, w := range words {
		if w == word {
			n++
		}
	}
	return n
}
