package wizard

import (
	"context"
	"errors"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/app"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// openStartScreen returns a start screen with three options.
func openStartScreen(t *testing.T, open func(context.Context, string) (*wizard.Interview, error)) *driver {
	t.Helper()
	d := newInterview()
	return openWizard(t, d, 80, 24, func(w *Options) {
		w.StartOptions = []StartOption{
			{ID: "new", Title: "Install a new cluster", Help: "Asks what it should be."},
			{ID: "draft", Title: "Continue c-demo-1", Help: "3 of 6 screens."},
			{ID: "destroy", Title: "Destroy c-old…", Help: "Shows what would be deleted."},
		}
		if w.Open = func(context.Context, string) (*wizard.Interview, error) { return d.Interview, nil }; open != nil {
			w.Open = open
		}
	})
}

func TestStartScreen_Choices(t *testing.T) {
	o := openStartScreen(t, nil)
	o.Shows(t, "What would you like to do?", "1 Install a new cluster", "3 Destroy c-old…", "Asks what it should be.")
	o.Press("down").Shows(t, "3 of 6 screens.")
	o.Press("up", "up").Shows(t, "Shows what would be deleted.")
	o.Press("down", "enter").checkPage(t, wizard.Access)
	if o.outcome.Option != "new" {
		t.Errorf("chosen is %q", o.outcome.Option)
	}
}

func TestStartScreen_Shortcuts(t *testing.T) {
	if o := openStartScreen(t, nil).Press("2"); o.session == nil || o.outcome.Option != "draft" {
		t.Errorf("2 begins %q", o.outcome.Option)
	}
	if o := openStartScreen(t, nil).Press("q"); !o.Quit || o.outcome != (Outcome{}) {
		t.Errorf("q leaves with %+v", o.outcome)
	}
}

func TestStartScreen_OptionWithoutInterview(t *testing.T) {
	o := openStartScreen(t, func(context.Context, string) (*wizard.Interview, error) { return nil, nil }).Press("3")
	if !o.Quit || o.outcome != (Outcome{Option: "destroy"}) {
		t.Errorf("quit %v with %+v", o.Quit, o.outcome)
	}
}

func TestStartScreen_OpenError(t *testing.T) {
	o := openStartScreen(t, func(context.Context, string) (*wizard.Interview, error) {
		return nil, errors.New("another process has it")
	})
	o.Press("2").Shows(t, "✗ another process has it", "What would you like to do?")
	if o.Quit {
		t.Error("the wizard ended")
	}
}

func TestWizard_WithoutDraft(t *testing.T) {
	d := newInterview()
	d.DraftPath = ""
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster).Type("c-demo-1").Press("enter")
	o.Hides(t, "draft saved")
	o.Press("ctrl+c").Shows(t, "The answers are not saved.")
}

func TestWizard_SavesEveryAnswer(t *testing.T) {
	d := newInterview()
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	saves := len(d.saved)
	o.Type("c-demo-1").Press("enter").Shows(t, "draft saved just now")
	if len(d.saved) != saves+1 || d.saved[saves].Spec.Cluster.ID != "c-demo-1" || d.saved[saves].Origin("cluster.id") != wizard.Typed {
		t.Errorf("saved %d times", len(d.saved)-saves)
	}
	o.Advance(25 * time.Second)
	o.Shows(t, "draft saved 20s ago")
}

func TestWizard_RetriesSave(t *testing.T) {
	d := newInterview()
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	d.saveErr = errors.New("no space left")
	o.Type("c-demo-1").Press("enter").Shows(t, "draft not saved: no space left")
	d.saveErr = nil
	o.Type("example.net").Press("enter").Shows(t, "draft saved just now")
	if last := d.saved[len(d.saved)-1].Spec.Cluster; last.ID != "c-demo-1" || last.BaseDomain != "example.net" {
		t.Errorf("saved is %+v", last)
	}
}

func TestWizard_CloseSavesEdit(t *testing.T) {
	d := newInterview()
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	o.Type("c-demo-1")
	if err := o.close(); err != nil || len(d.saved) == 0 || d.saved[len(d.saved)-1].Spec.Cluster.ID != "c-demo-1" {
		t.Errorf("saved %d times, %v", len(d.saved), err)
	}
	d = newInterview()
	o = openWizard(t, d, 80, 24, nil)
	o.currentPage().(page.Focuser).Focus(apiSecretField)
	o.Type(secretText)
	if err := o.close(); err != nil || d.secrets[apiSecretField] != secretText || d.saved[len(d.saved)-1].Spec.Exoscale.APISecret.File == "" {
		t.Errorf("kept %q, %v", d.secrets, err)
	}
}

func TestWizard_CloseReportsSaveError(t *testing.T) {
	d := newInterview()
	o := openWizard(t, d, 80, 24, nil).openPage(t, wizard.Cluster)
	d.saveErr = errors.New("no space left")
	if o.Type("c-demo-1").Press("enter"); !errors.Is(o.close(), d.saveErr) {
		t.Error("the end of the wizard loses answers silently")
	}
	d.saveErr = nil
	if err := o.close(); err != nil || d.saved[len(d.saved)-1].Spec.Cluster.ID != "c-demo-1" {
		t.Errorf("at the end nothing is saved that could not be before: %v", err)
	}
}

func TestKeys_Esc(t *testing.T) {
	o := openCluster(t).Type("c-demo-").Press("esc")
	o.checkPage(t, wizard.Access)
	o.Press("esc").Shows(t, "Quit the wizard?", "to discard the draft, delete that folder")
	o.Press("esc").checkPage(t, wizard.Access)
	if o.quitDialog != nil || o.Quit {
		t.Error("esc does not close the question")
	}
}

func TestKeys_Quit(t *testing.T) {
	o := openCluster(t).Press("ctrl+c")
	if o.Press("enter"); o.Quit || o.quitDialog != nil {
		t.Error("enter leaves")
	}
	if o.Press("ctrl+c", "down", "enter"); !o.Quit || o.outcome.Confirmed {
		t.Errorf("quit %v with %+v", o.Quit, o.outcome)
	}
	if o := openCluster(t).Press("ctrl+c", "ctrl+c"); !o.Quit {
		t.Error("ctrl+c twice does not leave")
	}
}

func TestNavigation_StopsAtErrors(t *testing.T) {
	o := openWizard(t, newInterview().answer(t, completeAnswers()), 80, 24, nil)
	o.Press("alt+4").checkPage(t, wizard.Network)
	o.Press("alt+1").checkPage(t, wizard.Access)
	o.session.Edit("cluster.id", func(spec *state.Spec) { spec.Cluster.ID = "" })
	o.Press("alt+4").checkPage(t, wizard.Cluster)
	o.Shows(t, "fix the errors on this screen first", "required")
	if o.selected() != "cluster.id" {
		t.Errorf("the cursor is on %s", o.selected())
	}
	o.Press("alt+3").checkPage(t, wizard.Cluster)
}

func TestExport_WritesFile(t *testing.T) {
	o := openCluster(t).Press("f9")
	o.Shows(t, "✓ answers file: /data/you/c-demo-1.yaml")
	o.Type("c").Hides(t, "answers file")
}

func TestNavigation_LimitedInterview(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	d.Only = []string{"network.hostPrefix"}
	d.Answers.Spec.Cluster.BaseDomain = ""
	o := openWizard(t, d, 80, 24, nil)
	o.checkPage(t, wizard.Cluster)
	o.Shows(t, "[1 Cluster ●]", "2 Network ○", "3 Checks ○", "Base domain")
	o.Hides(t, "Access", "Cluster ID", "more with defaults")
	o.Type("example.net").Press("enter", "enter").checkPage(t, wizard.Network)
	o.Shows(t, "Host prefix", "23")
	o.Press("enter", "enter").checkPage(t, session.ChecksPage)
}

func TestWizard_RehearsalMark(t *testing.T) {
	d := newInterview()
	d.Rehearsal = true
	o := openWizard(t, d, 80, 24, nil)
	for _, sheet := range o.pages {
		o.openPage(t, sheet.screen).Shows(t, "REHEARSAL")
	}
}

func TestKeys_SeveralRunes(t *testing.T) {
	o := openCluster(t)
	o.Send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("c-demo-1")})
	if text := o.editedText(); text != "c-demo-1" {
		t.Errorf("typed is %q", text)
	}
}

func TestWizard_InputClosed(t *testing.T) {
	o := openCluster(t)
	if o.Send(app.InputClosedMsg{}); !o.Quit {
		t.Error("the wizard goes on without a terminal")
	}
}

func TestWizard_BackgroundPanic(t *testing.T) {
	d := newInterview()
	d.Lookups = []wizard.Lookup{{ID: "x", Screen: wizard.Access}} // without Ask
	o := openWizard(t, d, 80, 24, nil)
	if !o.Quit || o.panicErr == nil {
		t.Errorf("quit %v, %v", o.Quit, o.panicErr)
	}
}
