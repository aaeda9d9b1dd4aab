package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"exoshift/wizard/reach"
)

type serviceReply struct {
	reply
	by client
}

func (a client) buildURL(path string) *url.URL {
	address := *a.target.url
	address.Scheme, address.Fragment = "https", ""
	address.Host = strings.TrimSuffix(address.Host, ":443")
	if strings.Trim(address.Path, "/") == "" {
		address.Path = path
	}
	return &address
}

// fetch follows redirects and accepts these statuses only. The limit of slowness applies to each call, not to the probe.
func (a client) fetch(ctx context.Context, c call, statuses ...int) (serviceReply, error) {
	a.state.timedPerCall = true
	began := time.Now()
	by, r, err := a.getRedirected(ctx, c)
	if err == nil && time.Since(began) >= a.deps.Limits.Slow {
		a.degrade(reach.Slow)
	}
	answer := serviceReply{reply: r, by: by}
	switch {
	case err != nil:
		return answer, err
	case !slices.Contains(statuses, r.status):
		return answer, by.newPageError(r)
	case r.broken != nil:
		return answer, answer.fail(mapProtocolError(r.broken, reach.Malformed), r.broken)
	}
	return answer, nil
}

func (a client) fetchJSON(ctx context.Context, resource *url.URL, limit int64) (serviceReply, error) {
	c := call{url: resource, limit: limit, header: http.Header{"Accept": {"application/json"}}}
	answer, err := a.fetch(ctx, c, http.StatusOK)
	if err == nil {
		err = answer.checkComplete()
	}
	return answer, err
}

func (r serviceReply) checkComplete() error {
	if r.whole {
		return nil
	}
	return r.fail(reach.Malformed, errors.New("the answer is larger than any that makes sense"))
}

// A web page instead of the service comes from the network. The status takes precedence.
func (r serviceReply) newProtocolError(err error) error {
	if isPage(r.reply) || isBlocked(r.reply) || r.status >= http.StatusInternalServerError {
		return r.by.newPageError(r.reply)
	}
	return r.fail(reach.Unexpected, err)
}

func (r serviceReply) fail(class reach.Class, err error) error {
	return r.by.fail(&r.by.layers.HTTP, class, err)
}

func (a client) newStatusError(r reply) error {
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
func (a client) newPageError(r reply) error {
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
	return slices.ContainsFunc(blockedWords, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

var blockedWords = []string{
	"your country", "your region", "your location", "this country", "this region", "geoblock", "geo-block", "geo restrict",
	"embargo", "export control", "sanctioned", "you have been blocked", "has been blocked", "is blocked", "blocked by",
	"web filter", "webfilter", "url filter", "web security", "content filter", "policy violation", "company policy",
}
