package probe

import (
	"context"
	"net/http"
	"slices"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

const maxSniffed = 16 << 10

// Any answer of the service itself proves that it is reachable, unless the check names the statuses that do.
func probeHTTP(ctx context.Context, a connection.Client) error {
	c := connection.Call{URL: a.Target.URL, Limit: maxSniffed}
	at := a
	r, err := a.Get(ctx, c)
	if err == nil && len(a.Check.Expect) > 0 && !slices.Contains(a.Check.Expect, r.Status) {
		at, r, err = a.ResolveRedirects(ctx, c, r)
	}
	if err != nil {
		return err
	}
	if to, redirected := connection.ParseRedirect(at.Target.URL, r); redirected && connection.IsPortal(at.Target.URL, to) {
		return at.CheckRedirect(at.Target.URL, to, nil)
	}
	switch {
	case connection.IsTimeout(r.Broken):
		a.Degrade(reach.Slow) // it is reachable, and the rest is not needed
	case r.Broken != nil:
		return at.Fail(&at.Layers.HTTP, connection.MapProtocolError(r.Broken, reach.Malformed), r.Broken)
	}
	if err := checkStatus(at, r); err != nil {
		return err
	}
	return checkAnswer(ctx, at, c, r)
}

func checkStatus(a connection.Client, r connection.Reply) error {
	expected := slices.Contains(a.Check.Expect, r.Status)
	switch {
	case r.Status == http.StatusUnauthorized && (expected || len(a.Check.Expect) == 0):
		a.Notice(reach.Unauthorized)
		return nil
	case expected:
		return nil
	case isForeignPage(a, r) && (r.Status == http.StatusOK || r.Status == http.StatusForbidden):
		return a.NewPageError(r)
	case len(a.Check.Expect) > 0 || r.Status >= 500 || connection.IsBlocked(r) || isForeignDenial(a, r):
		return a.NewStatusError(r)
	}
	return nil
}
