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

// serviceReply is an answer with whoever gave it: the host that was asked, or the last one that it sent us on to.
type serviceReply struct {
	reply
	by *attempt
}

// buildURL returns the web address of a path at the attempt's host, unless the check names another path.
func (a *attempt) buildURL(path string) *url.URL {
	address := *a.target.url
	address.Scheme, address.Fragment = "https", ""
	address.Host = strings.TrimSuffix(address.Host, ":443")
	if strings.Trim(address.Path, "/") == "" {
		address.Path = path
	}
	return &address
}

// fetch makes a call, goes where the service sends us, and returns the answer if it has one of these statuses. It is each
// call that may be slow, not a probe that makes several.
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

// fetchJSON asks for JSON, which it returns if all of it came.
func (a *attempt) fetchJSON(ctx context.Context, resource *url.URL, limit int64) (serviceReply, error) {
	c := call{url: resource, limit: limit, header: http.Header{"Accept": {"application/json"}}}
	answer, err := a.fetch(ctx, c, http.StatusOK)
	if err == nil {
		err = answer.checkComplete()
	}
	return answer, err
}

// checkComplete returns a failure if there is more of the answer than was read.
func (r serviceReply) checkComplete() error {
	if r.whole {
		return nil
	}
	return r.fail(reach.Malformed, errors.New("the answer is larger than any that makes sense"))
}

// newProtocolError says that somebody else answers than the service: with a web page, it is the network. What the status
// says counts more.
func (r serviceReply) newProtocolError(err error) error {
	if isPage(r.reply) || isBlocked(r.reply) || r.status >= http.StatusInternalServerError {
		return r.by.newPageError(r.reply)
	}
	return r.fail(reach.Unexpected, err)
}

func (r serviceReply) fail(class reach.Class, err error) error {
	return r.by.fail(&r.by.layers.HTTP, class, err)
}
