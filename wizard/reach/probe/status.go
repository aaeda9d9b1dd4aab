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

// maxSniffed is how much of a page is read to see who wrote it.
const maxSniffed = 16 << 10

// probeHTTP asks for the check's resource. Whatever the service itself answers proves that it is reached, unless the
// check names the statuses that do.
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
		a.degrade(reach.Slow) // it is there, and nobody needs the rest
	case r.broken != nil:
		return at.fail(&at.layers.HTTP, mapProtocolError(r.broken, reach.Malformed), r.broken)
	}
	return at.checkStatus(r)
}

// checkStatus returns a failure if an answer does not prove that the service can be used.
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

// newStatusError returns the failure of an answer that is not the one which was wanted.
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

// newPageError returns the failure of an answer by a page for people where a program was to be answered: that of a
// network in place of the service.
func (a *attempt) newPageError(r reply) error {
	if r.status < 400 && isPage(r) {
		return a.fail(&a.layers.HTTP, reach.Captive, errors.New("a web page answers in place of the service"))
	}
	return a.newStatusError(r)
}

// isPage tells whether an answer is HTML.
func isPage(r reply) bool {
	kind, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err == nil && kind != "text/plain" {
		return kind == "text/html" || kind == "application/xhtml+xml"
	}
	start := bytes.ToLower(bytes.TrimSpace(r.body[:min(len(r.body), 512)]))
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}

// isBlocked tells whether an answer says that somebody keeps us out because of where we are, or by a filter.
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

// listBlockedWords are what such pages say, in lower case.
func listBlockedWords() []string {
	return []string{
		"your country", "your region", "your location", "this country", "this region", "geoblock", "geo-block", "geo restrict",
		"embargo", "export control", "sanctioned", "you have been blocked", "has been blocked", "is blocked", "blocked by",
		"web filter", "webfilter", "url filter", "web security", "content filter", "policy violation", "company policy",
	}
}
