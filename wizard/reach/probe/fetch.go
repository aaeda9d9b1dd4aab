package probe

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"exoshift/wizard/reach"
)

type serviceReply struct {
	reply
	by *attempt
}

func (a *attempt) buildURL(path string) *url.URL {
	address := *a.target.url
	address.Scheme, address.Fragment = "https", ""
	address.Host = strings.TrimSuffix(address.Host, ":443")
	if strings.Trim(address.Path, "/") == "" {
		address.Path = path
	}
	return &address
}

// fetch follows redirects and accepts these statuses only. The limit of slowness applies to each call, not to the probe.
func (a *attempt) fetch(ctx context.Context, c call, statuses ...int) (serviceReply, error) {
	a.state.timedPerCall = true
	began := time.Now()
	by, r, err := a.getRedirected(ctx, c)
	if err == nil && time.Since(began) >= a.prober.limits.Slow {
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

func (a *attempt) fetchJSON(ctx context.Context, resource *url.URL, limit int64) (serviceReply, error) {
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
