package probe

import (
	"context"
	"net/http"
	"slices"

	"exoshift/wizard/reach"
)

const maxSniffed = 16 << 10

// Any answer of the service itself proves that it is reachable, unless the check names the statuses that do.
func probeHTTP(ctx context.Context, a client) error {
	c := call{url: a.target.url, limit: maxSniffed}
	at := a
	r, err := a.get(ctx, c)
	if err == nil && len(a.check.Expect) > 0 && !slices.Contains(a.check.Expect, r.status) {
		at, r, err = a.resolveRedirects(ctx, c, r)
	}
	if err != nil {
		return err
	}
	if to, redirected := parseRedirect(at.target.url, r); redirected && isPortal(at.target.url, to) {
		return at.checkRedirect(at.target.url, to, nil)
	}
	switch {
	case isTimeout(r.broken):
		a.degrade(reach.Slow) // it is reachable, and the rest is not needed
	case r.broken != nil:
		return at.fail(&at.layers.HTTP, mapProtocolError(r.broken, reach.Malformed), r.broken)
	}
	return checkStatus(at, r)
}

func checkStatus(a client, r reply) error {
	expected := slices.Contains(a.check.Expect, r.status)
	switch {
	case r.status == http.StatusUnauthorized && (expected || len(a.check.Expect) == 0):
		a.state.notice = reach.Unauthorized
		return nil
	case expected:
		return nil
	case len(a.check.Expect) > 0 || r.status >= 500 || isBlocked(r):
		return a.newStatusError(r)
	}
	return nil
}
