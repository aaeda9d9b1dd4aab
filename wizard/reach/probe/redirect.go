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

// follow makes a call and goes where redirects lead, which has to be by https if it began so. It returns the last
// attempt and its answer; a failure is one of the host where it happened.
func (a *attempt) follow(ctx context.Context, c call) (*attempt, reply, error) {
	r, err := a.get(ctx, c)
	if err != nil {
		return a, r, err
	}
	return a.onward(ctx, c, r)
}

// onward goes on from an answer to where redirects lead.
func (a *attempt) onward(ctx context.Context, c call, r reply) (*attempt, reply, error) {
	seen := []string{canonical(c.url)}
	for range maxRedirects {
		to, redirected := redirection(c.url, r)
		if !redirected {
			return a, r, nil
		}
		if err := a.mayFollow(c.url, to, seen); err != nil {
			return a, r, err
		}
		following, err := a.next(to)
		if err != nil {
			return a, r, err
		}
		seen, a, c = append(seen, canonical(to)), following, c.at(to)
		if r, err = a.get(ctx, c); err != nil {
			return a, r, err
		}
	}
	return a, r, a.fail(&a.layers.HTTP, reach.Unexpected, fmt.Errorf("it sends us on more than %d times", maxRedirects))
}

// mayFollow returns a failure for a redirect that no service makes.
func (a *attempt) mayFollow(from, to *url.URL, seen []string) error {
	switch {
	case slices.Contains(seen, canonical(to)):
		return a.fail(&a.layers.HTTP, reach.Unexpected, errors.New("it sends us on in a circle"))
	case isPortal(from, to):
		a.note(reach.EvidenceStatus, a.evidence[reach.EvidenceStatus]+" to "+to.Host)
		return a.fail(&a.layers.HTTP, reach.Captive, fmt.Errorf("it sends us on to %s", to.Host))
	case from.Scheme == "https" && to.Scheme != "https":
		return a.fail(&a.layers.HTTP, reach.Unexpected, errors.New("it sends us on to an address without TLS"))
	}
	return nil
}

// canonical returns an address in the form that is the same for all ways to write it.
func canonical(u *url.URL) string {
	return u.Scheme + "://" + strings.ToLower(hostHeader(u)) + u.RequestURI()
}

// at returns the same call of another resource. Who we are is told to nobody else.
func (c call) at(to *url.URL) call {
	if c.header != nil && hostHeader(to) != hostHeader(c.url) {
		c.header = c.header.Clone()
		c.header.Del("Authorization")
		c.header.Del("Cookie")
	}
	c.url = to
	return c
}

// redirection returns where an answer sends us.
func redirection(from *url.URL, r reply) (*url.URL, bool) {
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
