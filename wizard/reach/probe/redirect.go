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

const maxRedirects = 5

// Redirects have to stay on https if the call began so. It returns the last attempt and its answer; a failure belongs to
// the host where it happened.
func (a client) getRedirected(ctx context.Context, c call) (client, reply, error) {
	r, err := a.get(ctx, c)
	if err != nil {
		return a, r, err
	}
	return a.resolveRedirects(ctx, c, r)
}

func (a client) resolveRedirects(ctx context.Context, c call, r reply) (client, reply, error) {
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

func (a client) checkRedirect(from, to *url.URL, seen []string) error {
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

func normalizeURL(u *url.URL) string {
	return u.Scheme + "://" + strings.ToLower(formatHostHeader(u)) + u.RequestURI()
}

func (c call) withURL(to *url.URL) call {
	if c.header != nil && formatHostHeader(to) != formatHostHeader(c.url) {
		c.header = c.header.Clone()
		c.header.Del("Authorization")
		c.header.Del("Cookie")
	}
	c.url = to
	return c
}

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
