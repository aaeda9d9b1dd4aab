package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"exoshift/wizard/reach"
)

// maxRedirects is how often a service may send us on.
const maxRedirects = 5

// getRedirected makes a call and goes where redirects lead, which has to be by https if it began so. It returns the last
// attempt and its answer; a failure is one of the host where it happened.
func (a *attempt) getRedirected(ctx context.Context, c call) (*attempt, reply, error) {
	r, err := a.get(ctx, c)
	if err != nil {
		return a, r, err
	}
	return a.resolveRedirects(ctx, c, r)
}

// resolveRedirects goes on from an answer to where redirects lead.
func (a *attempt) resolveRedirects(ctx context.Context, c call, r reply) (*attempt, reply, error) {
	seen := []string{normalizeURL(c.url)}
	for range maxRedirects {
		to, redirected := parseRedirect(c.url, r)
		if !redirected {
			return a, r, nil
		}
		if err := a.checkRedirect(c.url, to, seen); err != nil {
			return a, r, err
		}
		following, err := a.next(to)
		if err != nil {
			return a, r, err
		}
		seen, a, c = append(seen, normalizeURL(to)), following, c.withURL(to)
		if r, err = a.get(ctx, c); err != nil {
			return a, r, err
		}
	}
	return a, r, a.fail(&a.layers.HTTP, reach.Unexpected, fmt.Errorf("it sends us on more than %d times", maxRedirects))
}

// checkRedirect returns a failure for a redirect that no service makes.
func (a *attempt) checkRedirect(from, to *url.URL, seen []string) error {
	switch {
	case slices.Contains(seen, normalizeURL(to)):
		return a.fail(&a.layers.HTTP, reach.Unexpected, errors.New("it sends us on in a circle"))
	case isPortal(from, to):
		a.record(reach.EvidenceStatus, a.evidence[reach.EvidenceStatus]+" to "+to.Host)
		return a.fail(&a.layers.HTTP, reach.Captive, fmt.Errorf("it sends us on to %s", to.Host))
	case from.Scheme == "https" && to.Scheme != "https":
		return a.fail(&a.layers.HTTP, reach.Unexpected, errors.New("it sends us on to an address without TLS"))
	}
	return nil
}

// normalizeURL returns an address in the form that is the same for all ways to write it.
func normalizeURL(u *url.URL) string {
	return u.Scheme + "://" + strings.ToLower(formatHostHeader(u)) + u.RequestURI()
}

// withURL returns the same call of another resource. Who we are is told to nobody else.
func (c call) withURL(to *url.URL) call {
	if c.header != nil && formatHostHeader(to) != formatHostHeader(c.url) {
		c.header = c.header.Clone()
		c.header.Del("Authorization")
		c.header.Del("Cookie")
	}
	c.url = to
	return c
}

// parseRedirect returns where an answer sends us.
func parseRedirect(from *url.URL, r reply) (*url.URL, bool) {
	switch r.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, false
	}
	location := r.header.Get("Location")
	if location == "" || len(location) > maxURL {
		return nil, false
	}
	to, err := from.Parse(location)
	return to, err == nil
}
