package wizard

import (
	"testing"

	"exoshift/tui/app"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

func TestHelp_StartScreen(t *testing.T) {
	o := openStartScreen(t, nil).Press("f1")
	o.Shows(t, "Installing OpenShift on Exoscale", "Rehearse", "API key", "any key close help")
	o.Press("esc").Shows(t, "What would you like to do?")
	if o.Quit {
		t.Error("closing the help left the program")
	}
}

func TestHelp_OfNextNamesErrorsOnlyIfThereAreAny(t *testing.T) {
	const next, fix = "Goes on to the next screen.", " Fix the errors first."
	openCluster(t).Press("pgdown").Shows(t, "› [ Next ]", next+fix)
	o := openWizard(t, newInterview().answer(t, completeAnswers()), 80, 24, nil).openPage(t, wizard.Cluster).Press("pgdown")
	o.Shows(t, "› [ Next ]", next)
	o.Hides(t, fix)
}

func TestHelp_Scrolls(t *testing.T) {
	o := openWizard(t, newInterview(), 60, 18, nil).Press("f1")
	o.Shows(t, "↓ more", "up/down scroll")
	o.Hides(t, "alt+1")
	o.Press("pgdown").Shows(t, "alt+1 to alt+8")
	o.Press("down", "pgup").Shows(t, "API key", "↓ more")
	o.Press("x").Shows(t, "API secret")
	o.Hides(t, "alt+1")
	o.Resize(120, 60)
	o.Press("f1").Shows(t, "alt+1 to alt+8")
	o.Hides(t, "scroll")
	o.Press("down").Hides(t, "alt+1 to alt+8")
}

func TestHelp_OfAFieldRefersToTheRest(t *testing.T) {
	i := newInterview().answer(t, completeAnswers())
	for _, id := range []string{"names", "domain", "release"} {
		i.addLookup(wizard.Cluster, id, nil, newZones(), nil)
	}
	o := openWizard(t, i, 60, 16, nil).openPage(t, wizard.Cluster)
	o.currentPage().(page.Focuser).Focus("openshift.distribution")
	o.Shows(t, "… F1: all")
}

func TestKeyLine_SmallScreen(t *testing.T) {
	o := openWizard(t, newInterview().answer(t, completeAnswers()), 60, 18, nil)
	for _, screen := range wizard.Screens() {
		o.openPage(t, screen).Shows(t, "esc back", "F1 help", "ctrl+c quit")
	}
}

func TestKeys_DoubleEsc(t *testing.T) {
	o := openWizard(t, newInterview().addLookup(wizard.Access, "zones", nil, newZones(), nil), 80, 24, nil).openPage(t, wizard.Access)
	o.currentPage().(page.Focuser).Focus("exoscale.zone")
	o.Press("enter").Shows(t, "type to search")
	o.Send(app.SplitEscape(tea.KeyMsg{Type: tea.KeyEsc, Alt: true})[0])
	o.Hides(t, "type to search")
}
