package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

	"exoshift/wizard/reach"
)

const maxSniffed = 16 << 10

// Any answer of the service itself proves that it is reachable, unless the check names the statuses that do.
func probeHTTP(ctx context.Context, a *attempt) error {
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
	return at.checkStatus(r)
}

func (a *attempt) checkStatus(r reply) error {
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

func (a *attempt) newStatusError(r reply) error {
	err := fmt.Errorf("it answers %s", r.line)
	switch {
	case isBlocked(r):
		return a.fail(&a.layers.HTTP, reach.Geo, err)
	case r.status >= 500:
		return a.fail(&a.layers.HTTP, reach.ServerError, err)
	}
	return a.fail(&a.layers.HTTP, reach.Unexpected, err)
}

// An HTML page where an API was expected comes from the network instead of the service.
func (a *attempt) newPageError(r reply) error {
	if r.status < 400 && isPage(r) {
		return a.fail(&a.layers.HTTP, reach.Captive, errors.New("a web page answers in place of the service"))
	}
	return a.newStatusError(r)
}

func isPage(r reply) bool {
	kind, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err == nil && kind != "text/plain" {
		return kind == "text/html" || kind == "application/xhtml+xml"
	}
	start := bytes.ToLower(bytes.TrimSpace(r.body[:min(len(r.body), 512)]))
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}

func isBlocked(r reply) bool {
	if r.status == http.StatusUnavailableForLegalReasons {
		return true
	}
	if r.status != http.StatusForbidden {
		return false
	}
	text := bytes.ToLower(r.body)
	return slices.ContainsFunc(listBlockedWords(), func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

func listBlockedWords() []string {
	return []string{
		"your country", "your region", "your location", "this country", "this region", "geoblock", "geo-block", "geo restrict",
		"embargo", "export control", "sanctioned", "you have been blocked", "has been blocked", "is blocked", "blocked by",
		"web filter", "webfilter", "url filter", "web security", "content filter", "policy violation", "company policy",
	}
}
