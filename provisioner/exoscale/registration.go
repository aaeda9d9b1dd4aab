package exoscale

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

const (
	// registrationLimit is how long after its request a template may still appear.
	registrationLimit = time.Hour
	registrationPause = 10 * time.Second
)

// event is an entry of the organization's audit trail, which holds only mutations, for a day.
type event struct {
	Timestamp time.Time
	Handler   string
	URI       string
	Status    int
	Zone      string
	Body      json.RawMessage `json:"body-params"`
}

// waitEarlierTemplate waits for the template that an interrupted run requested. It returns no template if that run's request was
// never received or failed.
func (c *Templates) waitEarlierTemplate(ctx context.Context, name string) (state.Template, error) {
	if c.api.IsPreview() || !c.api.HasIntent(kindTemplate, name) {
		return state.Template{}, nil
	}
	began, err := c.findRegistration(ctx, name)
	if err != nil {
		return state.Template{}, err
	}
	left := began.Add(registrationLimit).Sub(c.api.Clock.Now())
	if left <= 0 {
		return state.Template{}, nil
	}
	left = min(left, registrationLimit) // the API's clock may be ahead of ours
	var found state.Template
	_, err = c.api.Clock.Poll(ctx, registrationPause, left, func() (done bool, err error) {
		found, err = c.FindTemplate(ctx, name)
		if fault.Is(err, fault.NotFound) {
			return false, nil
		}
		return true, err
	})
	return found, err
}

// findRegistration returns the zero time if there is none in our zone.
func (c *Templates) findRegistration(ctx context.Context, name string) (latest time.Time, err error) {
	var trail []event
	op := "find the registration of template " + name + " in the audit trail"
	if err := c.api.Get(ctx, op, "/event", &trail); err != nil {
		if fault.Is(err, fault.Denied) {
			return latest, fault.New(fault.Denied, op, err).WithHint("give the API key permission to list events; or wait until " +
				"`exo compute instance-template list --visibility private` shows the template, then run again")
		}
		return latest, err
	}
	for _, e := range trail {
		if e.isRegistration(name) && (e.Zone == "" || e.Zone == c.api.Zone) && e.Timestamp.After(latest) {
			latest = e.Timestamp
		}
	}
	return latest, nil
}

// isRegistration reports whether the event is an accepted registration of that name. That the handler has the name of the
// operation is not recorded; no other mutation has the same URI.
func (e event) isRegistration(name string) bool {
	var body struct{ Name string }
	if e.Status >= 400 || json.Unmarshal(e.Body, &body) != nil || body.Name != name {
		return false
	}
	address, err := url.Parse(e.URI)
	return e.Handler == "register-template" || err == nil && strings.HasSuffix(address.Path, "/template")
}
