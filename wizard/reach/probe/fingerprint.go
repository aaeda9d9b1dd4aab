package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// checkAnswer fails unless an answer is one that the check's service gives. Its own answer counts, or that to which it
// redirects.
func checkAnswer(ctx context.Context, a connection.Client, c connection.Call, r connection.Reply) error {
	answer := a.Check.Answer
	if answer == nil || hasMark(a, r) && hasType(answer.Type, r) {
		return nil
	}
	at, r, err := a.ResolveRedirects(ctx, c, r)
	switch {
	case err != nil:
		return err
	case isForeignPage(at, r):
		return at.NewPageError(r)
	case hasMark(at, r) && hasType(answer.Type, r):
		return nil
	case connection.IsNotice(r):
		return at.NewBlockError(r)
	case !hasType(answer.Type, r):
		return at.Fail(&at.Layers.HTTP, reach.Unexpected, fmt.Errorf("it returned %s, and no %s", r.Line, strings.ToUpper(answer.Type)))
	}
	a.Record(reach.EvidenceError, errNoMark.Error())
	a.Degrade(reach.Unexpected) // not every answer of every service is known
	return nil
}

// isForeignPage reports whether a reply is a web page, and not one of the check's service.
func isForeignPage(a connection.Client, r connection.Reply) bool {
	answer := a.Check.Answer
	return answer != nil && connection.IsPage(r) && (answer.Type != "" || !hasMark(a, r))
}

// isForeignDenial reports whether a reply only denies access, without a mark of the check's service.
func isForeignDenial(a connection.Client, r connection.Reply) bool {
	answer := a.Check.Answer
	if answer == nil || !connection.IsBareDenial(r) {
		return false
	}
	return len(answer.Headers) == 0 && answer.Text == "" || !hasMark(a, r)
}

var errNoMark = errors.New("the response lacks what this service usually sends")

// hasMark reports whether a reply has one of the marks of the check's answer, or whether there are none. Pages about a
// blocked address name it, and redirects their target.
func hasMark(a connection.Client, r connection.Reply) bool {
	answer := *a.Check.Answer
	if len(answer.Headers) == 0 && answer.Text == "" {
		return answer.Type != "" && (answer.Type != "data" || !connection.IsMereText(r)) // which says enough
	}
	if slices.ContainsFunc(answer.Headers, func(mark string) bool { return hasHeader(r.Header, mark) }) {
		return true
	}
	if _, redirected := connection.ParseRedirect(a.Target.URL, r); redirected || answer.Text == "" {
		return false
	}
	body := removeAddress(r.Body, a.Target.URL)
	if asked, err := url.Parse(a.Check.URL); err == nil {
		body = removeAddress(body, asked)
	}
	pattern, err := regexp.Compile(answer.Text)
	return err == nil && pattern.Match(body)
}

func removeAddress(body []byte, address *url.URL) []byte {
	body = bytes.ReplaceAll(body, []byte(address.Hostname()), nil)
	if path := address.EscapedPath(); len(path) > len("/") {
		body = bytes.ReplaceAll(body, []byte(path), nil)
	}
	return body
}

func hasHeader(header http.Header, mark string) bool {
	name, start, _ := strings.Cut(mark, ": ")
	return slices.ContainsFunc(header.Values(name), func(value string) bool { return strings.HasPrefix(value, start) })
}

// hasType reports whether a reply is of a type: by its header, or where that says nothing by its content.
func hasType(kind string, r connection.Reply) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body := bytes.TrimSpace(r.Body)
	switch kind {
	case "json":
		return !connection.IsPage(r) && (err == nil && strings.HasSuffix(media, "json") || bytes.HasPrefix(body, []byte("{")) || bytes.HasPrefix(body, []byte("[")))
	case "xml":
		return !connection.IsPage(r) && bytes.HasPrefix(body, []byte("<"))
	case "data":
		return !connection.IsPage(r)
	}
	return true
}
