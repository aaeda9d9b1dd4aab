package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/tui/app"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

func TestWhatIsAskedCanBeStoppedAndAskedAgain(t *testing.T) {
	d := newDesk().answer(t, whole())
	var contexts []context.Context
	d.Lookups = []wizard.Lookup{{
		ID: "names", Title: "Names", Screen: wizard.Access, Keys: []string{"exoscale.zone"},
		Run: func(ctx context.Context, _ state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
			contexts = append(contexts, ctx)
			return wizard.LookupResult{Summary: "free"}, nil
		},
	}}
	o := sit(t, d, 120, 40, nil)
	var held []tea.Cmd
	o.session.spawn = func(work func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
		cmd, cancel := app.NewSpawn(t.Context())(work)
		held = append(held, cmd)
		return nil, cancel
	}
	o.press("ctrl+r").pass(2 * time.Second)
	o.shows(t, "Names: checking", "ctrl+r stop asking")
	late := held[0]
	o.press("ctrl+r").shows(t, "! Names: nobody could tell (ctrl+r tries again): stopped", "ctrl+r ask again")
	if o.tell(late()); !errors.Is(contexts[len(contexts)-1].Err(), context.Canceled) {
		t.Error("the inquiry goes on")
	}
	o.hides(t, "Names: free")
}

func TestWhatNobodyWasAskedIsNotMarkedAsGood(t *testing.T) {
	d := newDesk().answer(t, whole()).inquires(wizard.Access, "Credentials", nil, wizard.LookupResult{Pending: true, Summary: "needs the API key"}, nil)
	o := sit(t, d, 80, 24, nil)
	o.pass(2 * time.Second)
	o.shows(t, "○ Credentials: needs the API key")
	o.hides(t, "just now")
}

func TestWhatTheOutsideAdvisesIsNotCalledAllowed(t *testing.T) {
	refused := wizard.LookupResult{Problems: []wizard.Problem{{Field: "exoscale.zone", Message: "it is refused", Hint: "choose\x1b[31m another"}}}
	d := newDesk().answer(t, whole()).inquires(wizard.Access, "Zones", []string{"exoscale.zone"}, refused, nil)
	o := sit(t, d, 80, 24, nil)
	o.pass(2 * time.Second)
	o.shows(t, "it is refused; what to do: choose another")
}
