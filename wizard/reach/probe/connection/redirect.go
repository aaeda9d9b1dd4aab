package connection

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
func (a Client) getRedirected(ctx context.Context, c Call) (Client, Reply, error) {
	r, err := a.Get(ctx, c)
	if err != nil {
		return a, r, err
	}
	return a.ResolveRedirects(ctx, c, r)
}

// ResolveRedirects follows the redirects of a reply; the client that it returns got the last one.
func (a Client) ResolveRedirects(ctx context.Context, c Call, r Reply) (Client, Reply, error) {
	seen := []string{normalizeURL(c.URL)}
	for range maxRedirects {
		to, redirected := ParseRedirect(c.URL, r)
		if !redirected {
			return a, r, nil
		}
		if err := a.CheckRedirect(c.URL, to, seen); err != nil {
			return a, r, err
		}
		following, err := a.Next(to)
		if err != nil {
			return a, r, err
		}
		seen, a, c = append(seen, normalizeURL(to)), following, c.withURL(to)
		if r, err = a.Get(ctx, c); err != nil {
			return a, r, err
		}
	}
	return a, r, a.Fail(&a.Layers.HTTP, reach.Unexpected, fmt.Errorf("more than %d redirects", maxRedirects))
}

// CheckRedirect refuses circles, portals, and redirects away from TLS.
func (a Client) CheckRedirect(from, to *url.URL, seen []string) error {
	switch {
	case slices.Contains(seen, normalizeURL(to)):
		return a.Fail(&a.Layers.HTTP, reach.Unexpected, errors.New("redirect loop"))
	case IsPortal(from, to):
		a.Record(reach.EvidenceStatus, a.Evidence[reach.EvidenceStatus]+" to "+to.Host)
		return a.Fail(&a.Layers.HTTP, reach.Captive, fmt.Errorf("it redirects to %s", to.Host))
	case from.Scheme == "https" && to.Scheme != "https":
		return a.Fail(&a.Layers.HTTP, reach.Unexpected, errors.New("it redirects to a URL without TLS"))
	}
	return nil
}

func normalizeURL(u *url.URL) string {
	return u.Scheme + "://" + strings.ToLower(formatHostHeader(u)) + u.RequestURI()
}

func (c Call) withURL(to *url.URL) Call {
	if c.Header != nil && formatHostHeader(to) != formatHostHeader(c.URL) {
		c.Header = c.Header.Clone()
		c.Header.Del("Authorization")
		c.Header.Del("Cookie")
	}
	c.URL = to
	return c
}

// ParseRedirect returns where a reply redirects to, if it does.
func ParseRedirect(from *url.URL, r Reply) (*url.URL, bool) {
	switch r.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, false
	}
	location := r.Header.Get("Location")
	if location == "" || len(location) > maxURL {
		return nil, false
	}
	to, err := from.Parse(location)
	return to, err == nil
}
