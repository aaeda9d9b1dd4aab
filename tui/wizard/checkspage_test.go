package wizard

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

// addChecks reports the start and the end of each check, as an installation does.
func addChecks(d *fakeInterview, states ...wizard.CheckState) *fakeInterview {
	d.Check = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		d.calls = append(d.calls, "checks")
		for _, s := range states {
			emit(wizard.CheckState{ID: s.ID, Title: s.Title})
		}
		var failure error
		for _, s := range states {
			begun := s
			begun.State, begun.Text, begun.Hint = provisioner.Started, "", ""
			emit(begun)
			d.now = d.now.Add(1500 * time.Millisecond)
			emit(s)
			if s.State == provisioner.Failed {
				failure = errors.New(s.Text)
			}
		}
		return failure
	}
	return d
}

func newPassedChecks() []wizard.CheckState {
	return []wizard.CheckState{
		{ID: "credentials", Title: "Check the credentials, the zone and the clock", State: provisioner.Done},
		{ID: "manifests", Title: "Read the additional manifests", State: provisioner.Skipped, Text: "no directory of manifests"},
		{ID: "permissions", Title: "List the existing objects", State: provisioner.Done, Text: "objects: 3, of this cluster: 0"},
		{ID: "openshift-install", Title: "Download and verify openshift-install", State: provisioner.Done, Text: "openshift-install 4.20.5"},
		{ID: "offers", Title: "Check instance types, templates and hypervisors", State: provisioner.Done},
		{ID: "quotas", Title: "Check the quotas and estimate the cost", State: provisioner.Done, Text: "instance: needs 16 more, 0 in use, 50 allowed, 16 afterwards"},
	}
}

// newFailedChecks returns the results for a zone that does not offer a type any more.
func newFailedChecks() []wizard.CheckState {
	states := newPassedChecks()
	states[4].State, states[4].Text = provisioner.Failed, "zone ch-gva-2 does not offer cpu.extra-large, which storage-0 requires"
	states[4].Hint, states[4].Field = "choose another type in the answers", "sizing.storage.type"
	states[5].State, states[5].Text = provisioner.Skipped, `not reached, because "Check instance types, templates and hypervisors" did not succeed`
	return states
}

func TestChecksPage_RunsOncePerAnswers(t *testing.T) {
	d := addChecks(newInterview().answer(t, completeAnswers()), newPassedChecks()...)
	o := openWizard(t, d, 80, 24, nil).openPage(t, session.ChecksPage)
	if got := o.currentPage().Mark(); got != theme.OK {
		t.Fatalf("the checks are %v:\n%s", got, o.View())
	}
	o.openPage(t, wizard.Access).openPage(t, session.ChecksPage)
	if n := count(d.calls, "checks"); n != 1 {
		t.Errorf("they ran %d times although no answer changed", n)
	}
	o.Press("r")
	if n := count(d.calls, "checks"); n != 2 {
		t.Errorf("after r they had run %d times", n)
	}
}

func TestChecksPage_ChangedAnswerRepeats(t *testing.T) {
	d := addChecks(newInterview().answer(t, completeAnswers()), newPassedChecks()...)
	o := openWizard(t, d, 80, 24, nil).openPage(t, session.ChecksPage)
	if err := o.session.Set("cluster.id", "c-demo-2"); err != nil {
		t.Fatal(err)
	}
	if got := o.currentPage().Mark(); got != theme.Waiting {
		t.Errorf("results about other answers are marked %v", got)
	}
	o.openPage(t, wizard.Access).openPage(t, session.ChecksPage)
	if n := count(d.calls, "checks"); n != 2 || o.currentPage().Mark() != theme.OK {
		t.Errorf("they ran %d times and are %v", n, o.currentPage().Mark())
	}
}

func TestChecksPage_FailureBlocksAndOpensField(t *testing.T) {
	d := addChecks(newInterview().answer(t, completeAnswers()), newFailedChecks()...)
	o := openWizard(t, d, 80, 24, nil).openPage(t, session.ChecksPage)
	o.Press("alt+8")
	if screen := o.pages[o.current].screen; screen != session.ChecksPage {
		t.Fatalf("went on to %s", screen)
	}
	if view := o.View(); !strings.Contains(view, "sizing.storage.type") {
		t.Errorf("it is not told which answer to change, or why a check was skipped:\n%s", view)
	}
	if why := o.Press("down").View(); !strings.Contains(why, `because "Check instance types, templates and`) {
		t.Errorf("it is not told why a check was skipped:\n%s", why)
	}
	o.Press("enter").Press("enter") // to the failed check, and on to the answer
	if screen := o.pages[o.current].screen; screen != wizard.Nodes {
		t.Errorf("enter went to %s", screen)
	}
}

func TestChecksPage_ListsPendingChecks(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	o := openWizard(t, d, 80, 24, nil)
	view := "" // while the checks run
	d.Check = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		for _, s := range newPassedChecks() {
			emit(wizard.CheckState{ID: s.ID, Title: s.Title})
		}
		emit(wizard.CheckState{ID: "permissions", Title: "List the existing objects", State: provisioner.Started})
		view = o.currentPage().View(80, 20)
		return nil
	}
	o.openPage(t, session.ChecksPage)
	if strings.Count(view, "○") < len(newPassedChecks())-1 || !strings.Contains(view, "› ● List the existing") {
		t.Errorf("it is not shown what is still to come, or what runs:\n%s", view)
	}
}

func TestReadOnlyPage_LettersAreKeys(t *testing.T) {
	d := addChecks(newInterview().answer(t, completeAnswers()), newPassedChecks()...)
	o := openWizard(t, d, 80, 24, nil).openPage(t, session.ChecksPage)
	o.Press("e").Shows(t, "/data/you/c-demo-1.yaml")
	o.Press("3").checkPage(t, wizard.Nodes)
	o.openPage(t, session.ChecksPage).Press("q").Shows(t, "Quit the wizard?")
}

func TestChecksPage_EnterOpensReview(t *testing.T) {
	d := addChecks(newInterview().answer(t, completeAnswers()), newPassedChecks()...)
	o := openWizard(t, d, 80, 24, nil).openPage(t, session.ChecksPage).Press("enter")
	if screen := o.pages[o.current].screen; screen != session.ReviewPage {
		t.Errorf("enter stays at %s", screen)
	}
}

func TestChecksPage_RunErrorIsSanitized(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	d.Check = func(context.Context, state.Spec, wizard.Secrets, func(wizard.CheckState)) error {
		return errors.New("the network is\x1b[31m gone")
	}
	o := openWizard(t, d, 80, 24, nil).openPage(t, session.ChecksPage)
	view := o.View()
	if o.currentPage().Mark() != theme.Failed || !strings.Contains(view, "the network is gone") || strings.Contains(view, "\x1b[31m") {
		t.Errorf("%v:\n%s", o.currentPage().Mark(), view)
	}
}

func TestChecksPage_CloseCancels(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	o := openWizard(t, d, 80, 24, nil)
	var stopped []error // state of each run's context when it returned
	d.Check = func(c context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		emit(wizard.CheckState{ID: "x", Title: "A check"})
		stopped = append(stopped, c.Err())
		return c.Err()
	}
	held := o.holdCommands(t)
	p := o.openPage(t, session.ChecksPage).currentPage()
	if p.Mark() != theme.Running || p.Close() {
		t.Error("running checks do not block")
	}
	o.openPage(t, wizard.Access).openPage(t, session.ChecksPage) // results of the first run are reported while the second one runs
	if o.Send((*held)[0]()); len(stopped) != 1 || stopped[0] == nil {
		t.Error("the run goes on although the page was left")
	}
	if p.Mark() != theme.Running {
		t.Error("the end of a cancelled run ends the next one")
	}
	o.Hides(t, "A check")
	if o.Send((*held)[1]()); p.Mark() != theme.OK {
		t.Errorf("the second run is %v", p.Mark())
	}
	o.Shows(t, "A check")
}

func TestChecksPage_Golden(t *testing.T) {
	for name, states := range map[string][]wizard.CheckState{"good": newPassedChecks(), "bad": newFailedChecks()} {
		for _, size := range [][2]int{{60, 18}, {80, 24}, {120, 40}, {200, 60}} {
			for _, ascii := range []bool{false, true} {
				if ascii && size[0] != 80 {
					continue
				}
				o := openWizard(t, addChecks(newInterview().answer(t, completeAnswers()), states...), size[0], size[1], func(w *Options) { w.ASCII = ascii })
				view := renderPage(o.openPage(t, session.ChecksPage))
				tuitest.Golden(t, fmt.Sprintf("checks-%s-%dx%d%s", name, size[0], size[1], map[bool]string{true: "-ascii"}[ascii]), view)
			}
		}
	}
}

// renderPage returns the current page without the frame of the wizard.
func renderPage(o *driver) string {
	view := o.currentPage().View(o.width, o.height-7)
	if o.options.ASCII {
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
