package connection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"exoshift/wizard/reach"
)

// ServiceReply is a reply, and the client that got it after redirects.
type ServiceReply struct {
	Reply
	By Client
}

// BuildURL returns the target's URL by https, with path if it has none.
func (a Client) BuildURL(path string) *url.URL {
	address := *a.Target.URL
	address.Scheme, address.Fragment = "https", ""
	address.Host = strings.TrimSuffix(address.Host, ":443")
	if strings.Trim(address.Path, "/") == "" {
		address.Path = path
	}
	return &address
}

// Fetch follows redirects and accepts these statuses only. The limit of slowness applies to each call, not to the probe.
func (a Client) Fetch(ctx context.Context, c Call, statuses ...int) (ServiceReply, error) {
	a.TimePerCall()
	began := time.Now()
	by, r, err := a.getRedirected(ctx, c)
	if err == nil && time.Since(began) >= a.Deps.Limits.Slow {
		a.Degrade(reach.Slow)
	}
	answer := ServiceReply{Reply: r, By: by}
	switch {
	case err != nil:
		return answer, err
	case !slices.Contains(statuses, r.Status):
		return answer, by.NewPageError(r)
	case r.Broken != nil:
		return answer, answer.Fail(MapProtocolError(r.Broken, reach.Malformed), r.Broken)
	}
	return answer, nil
}

// FetchJSON fetches a whole document of at most limit bytes, with the status 200.
func (a Client) FetchJSON(ctx context.Context, resource *url.URL, limit int64) (ServiceReply, error) {
	c := Call{URL: resource, Limit: limit, Header: http.Header{"Accept": {"application/json"}}}
	answer, err := a.Fetch(ctx, c, http.StatusOK)
	if err == nil {
		err = answer.CheckComplete()
	}
	return answer, err
}

// CheckComplete fails for a body that goes on beyond its limit.
func (r ServiceReply) CheckComplete() error {
	if r.whole {
		return nil
	}
	return r.Fail(reach.Malformed, errors.New("the response is too large"))
}

// NewProtocolError returns the failure of an answer that the service would not give. A web page instead of the service comes from the network. The status takes precedence.
func (r ServiceReply) NewProtocolError(err error) error {
	if IsNotice(r.Reply) {
		return r.By.NewBlockError(r.Reply)
	}
	if IsPage(r.Reply) || IsBlocked(r.Reply) || IsBareDenial(r.Reply) || r.Status >= http.StatusInternalServerError {
		return r.By.NewPageError(r.Reply)
	}
	return r.Fail(reach.Unexpected, err)
}

// Fail is Attempt.Fail for the protocol of the reply's host.
func (r ServiceReply) Fail(class reach.Class, err error) error {
	return r.By.Fail(&r.By.Layers.HTTP, class, err)
}

// NewStatusError returns the failure of a status that was not expected.
func (a Client) NewStatusError(r Reply) error {
	err := fmt.Errorf("it returned %s", r.Line)
	switch {
	case isGeoBlocked(r):
		return a.Fail(&a.Layers.HTTP, reach.Geo, err)
	case IsBlocked(r), IsBareDenial(r) && a.Check.Group != reach.Customer:
		return a.NewBlockError(r)
	case r.Status >= 500:
		return a.Fail(&a.Layers.HTTP, reach.ServerError, err)
	}
	return a.Fail(&a.Layers.HTTP, reach.Unexpected, err)
}

// NewPageError returns the failure of a status or of a page. An HTML page where an API was expected comes from the network instead of the service.
func (a Client) NewPageError(r Reply) error {
	if r.Status < 500 && IsPage(r) && !isGeoBlocked(r) {
		return a.NewBlockError(r)
	}
	return a.NewStatusError(r)
}

// NewBlockError returns the failure of a page or a text that is not of the service, with its title.
func (a Client) NewBlockError(r Reply) error {
	return a.Fail(&a.Layers.HTTP, reach.BlockPage, errors.New(formatTitle(r)))
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>\s*(.*?)\s*</title>`)

// formatTitle returns the title of a web page, or the beginning of a text, quoted, and its status.
func formatTitle(r Reply) string {
	const longest = 80
	text := ""
	if found := titlePattern.FindSubmatch(r.Body); found != nil {
		text = html.UnescapeString(string(found[1]))
	} else if !IsPage(r) {
		text = string(r.Body[:min(len(r.Body), 4*longest)])
	}
	title := []rune(strings.Join(strings.Fields(text), " "))
	switch {
	case len(title) == 0 && IsPage(r):
		return "a web page without a title, " + r.Line
	case len(title) == 0:
		return "an empty response, " + r.Line
	}
	return strconv.Quote(string(title[:min(len(title), longest)])) + ", " + r.Line
}

// IsPage reports whether a reply is an HTML page.
func IsPage(r Reply) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && kind != "text/plain" {
		return kind == "text/html" || kind == "application/xhtml+xml"
	}
	start := bytes.ToLower(bytes.TrimSpace(r.Body[:min(len(r.Body), 512)]))
	return bytes.HasPrefix(start, []byte("<!doctype html")) || bytes.HasPrefix(start, []byte("<html"))
}

// IsBlocked reports whether a reply refuses the country or the network that it came from, or is that of a web filter.
func IsBlocked(r Reply) bool {
	return isGeoBlocked(r) || r.Status == http.StatusForbidden && containsAny(r.Body, filterWords)
}

// IsBareDenial reports whether a reply denies access without a document that an API would say so with. Anything on the way can
// send that, as a web filter does; of an operator's own service, it may be the answer.
func IsBareDenial(r Reply) bool {
	return r.Status == http.StatusForbidden && !IsPage(r) && !isDocument(r)
}

// IsMereText reports whether a reply is a success with a text that is neither JSON nor XML: a greeting, or the notice of a filter.
func IsMereText(r Reply) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	isText := err != nil || strings.HasPrefix(kind, "text/")
	return r.Status == http.StatusOK && isText && len(bytes.TrimSpace(r.Body)) > 0 && !isDocument(r)
}

// IsNotice reports whether a reply is a mere text that says that something was blocked.
func IsNotice(r Reply) bool { return IsMereText(r) && containsAny(r.Body, filterWords) }

// isDocument reports whether a reply is JSON or XML.
func isDocument(r Reply) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && (strings.HasSuffix(kind, "json") || strings.HasSuffix(kind, "xml")) {
		return true
	}
	start := bytes.TrimSpace(r.Body)
	return slices.ContainsFunc([]string{"{", "[", "<"}, func(first string) bool { return bytes.HasPrefix(start, []byte(first)) })
}

func isGeoBlocked(r Reply) bool {
	return r.Status == http.StatusUnavailableForLegalReasons || r.Status == http.StatusForbidden && containsAny(r.Body, countryWords)
}

func containsAny(body []byte, words []string) bool {
	text := bytes.ToLower(body)
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(text, []byte(word)) })
}

var countryWords = []string{ //nolint:gochecknoglobals // a table that nothing changes
	"your country", "your region", "your location", "this country", "this region", "geoblock", "geo-block", "geo restrict",
	"embargo", "export control", "sanctioned",
}

var filterWords = []string{ //nolint:gochecknoglobals // a table that nothing changes
	"you have been blocked", "has been blocked", "is blocked", "blocked by", "web filter", "webfilter", "url filter", "web security",
	"content filter", "policy violation", "company policy",
}
