package wizard

import (
	"context"
	"errors"
	"testing"
	"time"

	"exoshift/state"
	"exoshift/wizard"
)

func TestLookup_StopAndRepeat(t *testing.T) {
	d := newInterview().answer(t, completeAnswers())
	var contexts []context.Context
	d.Lookups = []wizard.Lookup{{
		ID: "names", Title: "Names", Screen: wizard.Access, Keys: []string{"exoscale.zone"},
		Run: func(ctx context.Context, _ state.Spec, _ wizard.Secrets) (wizard.LookupResult, error) {
			contexts = append(contexts, ctx)
			return wizard.LookupResult{Summary: "free"}, nil
		},
	}}
	o := openWizard(t, d, 120, 40, nil)
	held := o.holdCommands(t)
	o.Press("ctrl+r").Advance(2 * time.Second)
	o.Shows(t, "Names: checking", "ctrl+r cancel")
	late := (*held)[0]
	o.Press("ctrl+r").Shows(t, "! Names: lookup failed (ctrl+r retries): stopped", "ctrl+r retry")
	if o.Send(late()); !errors.Is(contexts[len(contexts)-1].Err(), context.Canceled) {
		t.Error("the inquiry goes on")
	}
	o.Hides(t, "Names: free")
}

func TestLookup_Pending(t *testing.T) {
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Access, "Credentials", nil, wizard.LookupResult{Pending: true, Summary: "requires the API key"}, nil)
	o := openWizard(t, d, 80, 24, nil)
	o.Advance(2 * time.Second)
	o.Shows(t, "○ Credentials: requires the API key")
	o.Hides(t, "just now")
}

func TestLookup_Hint(t *testing.T) {
	refused := wizard.LookupResult{Problems: []wizard.Problem{{Field: "exoscale.zone", Message: "it is refused", Hint: "choose\x1b[31m another"}}}
	d := newInterview().answer(t, completeAnswers()).addLookup(wizard.Access, "Zones", []string{"exoscale.zone"}, refused, nil)
	o := openWizard(t, d, 80, 24, nil)
	o.Advance(2 * time.Second)
	o.Shows(t, "it is refused; fix: choose another")
}
