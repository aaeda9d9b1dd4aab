package tui

import (
	"testing"

	"exoshift/tui/app"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

func TestF1OnTheStartScreenSaysWhatTheProgramDoesAndNeeds(t *testing.T) {
	o := begun(t, nil).press("f1")
	o.shows(t, "Installing OpenShift on Exoscale", "rehearse", "API key", "any key close the help")
	o.press("esc").shows(t, "What would you like to do?")
	if o.quit {
		t.Error("closing the help left the program")
	}
}

func TestTheHelpNamesTheKeysAndScrollsWhereThereIsLittleRoom(t *testing.T) {
	o := sit(t, newDesk(), 60, 18, nil).press("f1")
	o.shows(t, "↓ more", "up/down scroll")
	o.hides(t, "alt+1")
	o.press("pgdown").shows(t, "alt+1 to alt+8")
	o.press("down", "pgup").shows(t, "API key", "↓ more")
	o.press("x").shows(t, "API secret")
	o.hides(t, "alt+1")
	o.tell(resized(120, 60))
	o.press("f1").shows(t, "alt+1 to alt+8")
	o.hides(t, "scroll")
	o.press("down").hides(t, "alt+1 to alt+8")
}

func TestTheWayOutIsOnTheKeyLineOfSmallScreensToo(t *testing.T) {
	o := sit(t, newDesk().answer(t, whole()), 60, 18, nil)
	for _, screen := range wizard.Screens() {
		o.at(t, screen).shows(t, "esc back", "F1 help", "ctrl+c leave")
	}
}

func TestEscPressedTwiceInOnePieceIsEsc(t *testing.T) {
	o := sit(t, newDesk().inquires(wizard.Access, "zones", nil, zones(), nil), 80, 24, nil).at(t, wizard.Access)
	o.currentPage().(focuser).Focus("exoscale.zone")
	o.press("enter").shows(t, "type to search")
	o.tell(app.NormalizeEscape(tea.KeyMsg{Type: tea.KeyEsc, Alt: true}))
	o.hides(t, "type to search")
}
