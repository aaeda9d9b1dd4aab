package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/app"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

func resized(width, height int) tea.Msg { return tea.WindowSizeMsg{Width: width, Height: height} }

// begun returns a start screen with three options.
func begun(t *testing.T, open func(context.Context, string) (*wizard.Interview, error)) *operator {
	t.Helper()
	d := newDesk()
	return sit(t, d, 80, 24, func(w *Wizard) {
		w.Options = []Option{
			{"new", "Install a new cluster", "Asks what it should be."}, {"draft", "Go on with c-demo-1", "3 of 6 screens."},
			{"destroy", "Destroy c-old…", "Shows what would be deleted."},
		}
		if w.Open = func(context.Context, string) (*wizard.Interview, error) { return d.Interview, nil }; open != nil {
			w.Open = open
		}
	})
}

func TestTheStartScreenOffersWhatThereIs(t *testing.T) {
	o := begun(t, nil)
	o.shows(t, "What would you like to do?", "1 Install a new cluster", "3 Destroy c-old…", "Asks what it should be.")
	o.press("down").shows(t, "3 of 6 screens.")
	o.press("up", "up").shows(t, "Shows what would be deleted.")
	o.press("down", "enter").inFront(t, wizard.Access)
	if o.outcome.Option != "new" {
		t.Errorf("chosen is %q", o.outcome.Option)
	}
}

func TestADigitBeginsAtOnceAndQLeaves(t *testing.T) {
	if o := begun(t, nil).press("2"); o.session == nil || o.outcome.Option != "draft" {
		t.Errorf("2 begins %q", o.outcome.Option)
	}
	if o := begun(t, nil).press("q"); !o.quit || o.outcome != (Outcome{}) {
		t.Errorf("q leaves with %+v", o.outcome)
	}
}

func TestAChoiceWithoutAnInterviewEndsTheWizard(t *testing.T) {
	o := begun(t, func(context.Context, string) (*wizard.Interview, error) { return nil, nil }).press("3")
	if !o.quit || o.outcome != (Outcome{Option: "destroy"}) {
		t.Errorf("quit %v with %+v", o.quit, o.outcome)
	}
}

func TestWhatCannotBeBegunIsSaidOnTheStartScreen(t *testing.T) {
	o := begun(t, func(context.Context, string) (*wizard.Interview, error) {
		return nil, errors.New("another process has it")
	})
	o.press("2").shows(t, "✗ another process has it", "What would you like to do?")
	if o.quit {
		t.Error("the wizard ended")
	}
}

func TestAnInterviewWithoutAPlaceDoesNotSayThatItIsKept(t *testing.T) {
	d := newDesk()
	d.DraftPath = ""
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster).types("c-demo-1").press("enter")
	o.hides(t, "draft saved")
	o.press("ctrl+c").shows(t, "The answers are not kept.")
}

func TestEveryAnswerIsSaved(t *testing.T) {
	d := newDesk()
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	saves := len(d.saves)
	o.types("c-demo-1").press("enter").shows(t, "draft saved just now")
	if len(d.saves) != saves+1 || d.saves[saves].Spec.Cluster.ID != "c-demo-1" || d.saves[saves].Origin("cluster.id") != wizard.Typed {
		t.Errorf("saved %d times", len(d.saves)-saves)
	}
	o.pass(25 * time.Second)
	o.shows(t, "draft saved 20s ago")
}

func TestAFailureToSaveIsToldAndRetriedWithTheNextAnswer(t *testing.T) {
	d := newDesk()
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	d.broken = errors.New("no space left")
	o.types("c-demo-1").press("enter").shows(t, "draft not saved: no space left")
	d.broken = nil
	o.types("example.net").press("enter").shows(t, "draft saved just now")
	if last := d.saves[len(d.saves)-1].Spec.Cluster; last.ID != "c-demo-1" || last.BaseDomain != "example.net" {
		t.Errorf("saved is %+v", last)
	}
}

func TestEndingTheWizardKeepsWhatWasJustTyped(t *testing.T) {
	d := newDesk()
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	o.types("c-demo-1")
	if err := o.close(); err != nil || len(d.saves) == 0 || d.saves[len(d.saves)-1].Spec.Cluster.ID != "c-demo-1" {
		t.Errorf("saved %d times, %v", len(d.saves), err)
	}
	d = newDesk()
	o = sit(t, d, 80, 24, nil)
	o.currentPage().(focuser).Focus(apiSecretField)
	o.types(secretText)
	if err := o.close(); err != nil || d.kept[apiSecretField] != secretText || d.saves[len(d.saves)-1].Spec.Exoscale.APISecret.File == "" {
		t.Errorf("kept %q, %v", d.kept, err)
	}
}

func TestADraftThatCannotBeSavedAtTheEndIsAnError(t *testing.T) {
	d := newDesk()
	o := sit(t, d, 80, 24, nil).at(t, wizard.Cluster)
	d.broken = errors.New("no space left")
	if o.types("c-demo-1").press("enter"); !errors.Is(o.close(), d.broken) {
		t.Error("the end of the wizard loses answers silently")
	}
	d.broken = nil
	if err := o.close(); err != nil || d.saves[len(d.saves)-1].Spec.Cluster.ID != "c-demo-1" {
		t.Errorf("at the end nothing is saved that could not be before: %v", err)
	}
}

func TestEscGoesBackAndOnTheFirstScreenAsksWhetherToLeave(t *testing.T) {
	o := onCluster(t).types("c-demo-").press("esc")
	o.inFront(t, wizard.Access)
	o.press("esc").shows(t, "Leave the wizard?", "to discard the draft, delete that folder")
	o.press("esc").inFront(t, wizard.Access)
	if o.quitDialog != nil || o.quit {
		t.Error("esc does not close the question")
	}
}

func TestLeavingAsksAndTheDefaultIsToStay(t *testing.T) {
	o := onCluster(t).press("ctrl+c")
	if o.press("enter"); o.quit || o.quitDialog != nil {
		t.Error("enter leaves")
	}
	if o.press("ctrl+c", "down", "enter"); !o.quit || o.outcome.Confirmed {
		t.Errorf("quit %v with %+v", o.quit, o.outcome)
	}
	if o := onCluster(t).press("ctrl+c", "ctrl+c"); !o.quit {
		t.Error("ctrl+c twice does not leave")
	}
}

func TestJumpsGoForwardAsFarAsNothingIsRed(t *testing.T) {
	o := sit(t, newDesk().answer(t, whole()), 80, 24, nil)
	o.press("alt+4").inFront(t, wizard.Network)
	o.press("alt+1").inFront(t, wizard.Access)
	o.session.Edit("cluster.id", func(spec *state.Spec) { spec.Cluster.ID = "" })
	o.press("alt+4").inFront(t, wizard.Cluster)
	o.shows(t, "something here has to be put right first", "an answer is needed")
	if o.selected() != "cluster.id" {
		t.Errorf("the cursor is on %s", o.selected())
	}
	o.press("alt+3").inFront(t, wizard.Cluster)
}

func TestExportTellsThePath(t *testing.T) {
	o := onCluster(t).press("f9")
	o.shows(t, "✓ answers file: /data/you/c-demo-1.yaml")
	o.types("c").hides(t, "answers file")
}

func TestOnlyWhatIsNamedOrWrongIsAsked(t *testing.T) {
	d := newDesk().answer(t, whole())
	d.Only = []string{"network.hostPrefix"}
	d.Answers.Spec.Cluster.BaseDomain = ""
	o := sit(t, d, 80, 24, nil)
	o.inFront(t, wizard.Cluster)
	o.shows(t, "[1 Cluster ●]", "2 Network ○", "3 Checks ○", "Base domain")
	o.hides(t, "Access", "Cluster ID", "more with defaults")
	o.types("example.net").press("enter", "enter").inFront(t, wizard.Network)
	o.shows(t, "Host prefix", "23")
	o.press("enter", "enter").inFront(t, session.ChecksPage)
}

func TestARehearsalIsMarkedOnEveryScreen(t *testing.T) {
	d := newDesk()
	d.Rehearsal = true
	o := sit(t, d, 80, 24, nil)
	for _, sheet := range o.pages {
		o.at(t, sheet.screen).shows(t, "REHEARSAL")
	}
}

func TestKeysThatArriveTogetherAreTypedOneByOne(t *testing.T) {
	o := onCluster(t)
	o.tell(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("c-demo-1")})
	if text := o.currentPage().(*form).editor.getText(); text != "c-demo-1" {
		t.Errorf("typed is %q", text)
	}
}

func TestADeadTerminalEndsTheWizard(t *testing.T) {
	o := onCluster(t)
	if o.tell(app.InputClosedMsg{}); !o.quit {
		t.Error("the wizard goes on without a terminal")
	}
}

func TestAPanicInTheBackgroundEndsTheWizardInOrder(t *testing.T) {
	d := newDesk()
	d.Lookups = []wizard.Lookup{{ID: "x", Screen: wizard.Access}} // without Ask
	o := sit(t, d, 80, 24, nil)
	if !o.quit || o.panicErr == nil {
		t.Errorf("quit %v, %v", o.quit, o.panicErr)
	}
}
