package lieutenant

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

const maxReason = 600 // runes

// apiError is a request that did not succeed.
type apiError struct {
	err            error  // why there was no answer
	status         int    // of the answer
	reason         string // the server's words
	unexpectedBody string // what is there in place of Lieutenant's answer
	fromLieutenant bool   // the strange thing is Lieutenant's own, as far as can be seen
}

func (r *apiError) Error() string {
	switch {
	case r.err != nil:
		return "no answer: " + sanitize(r.err.Error(), "")
	case r.unexpectedBody != "":
		return r.unexpectedBody
	case r.reason != "":
		return fmt.Sprintf("%s (%d)", r.reason, r.status)
	}
	return fmt.Sprintf("it answers %d %s", r.status, http.StatusText(r.status))
}

func (r *apiError) Unwrap() error { return r.err }

// newAPIError reads {"reason": …}, which the API answers with always; the token never stands in what is told.
func newAPIError(status int, content []byte, token string) *apiError {
	var told struct{ Reason string }
	err := json.Unmarshal(content, &told)
	switch {
	case status < http.StatusBadRequest:
		return &apiError{status: status, unexpectedBody: "it leads to another address, which Lieutenant never does"}
	case err == nil || len(content) == 0:
		return &apiError{status: status, reason: sanitize(told.Reason, token)}
	case status >= http.StatusInternalServerError: // what stands before it often answers with a page
		return &apiError{status: status}
	}
	return &apiError{status: status, unexpectedBody: fmt.Sprintf("%s (%d)", describeUnexpected(content), status)}
}

// describeUnexpected says what was received in place of JSON.
func describeUnexpected(content []byte) string {
	text := strings.ToLower(strings.TrimSpace(string(content[:min(len(content), 64)])))
	switch {
	case text == "":
		return "it answers with nothing"
	case strings.HasPrefix(text, "<"):
		return "it answers with a web page"
	}
	return "it answers with something else than Lieutenant's JSON"
}

// isTemporary tells whether the same request may succeed later.
func (r *apiError) isTemporary() bool {
	switch {
	case r.unexpectedBody != "":
		return false
	case r.err != nil:
		return !isCertificateError(r.err) && !errors.Is(r.err, errNoURL)
	}
	// Somebody else changed the object between the server's look and its write.
	raced := r.status == http.StatusConflict && strings.Contains(r.reason, "object has been modified")
	return raced || r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError
}

// isUnauthorized tells whether the token is not accepted.
func (r *apiError) isUnauthorized() bool {
	return r.status == http.StatusUnauthorized && r.unexpectedBody == ""
}

func (r *apiError) toFaultKind() fault.Kind {
	switch {
	case r.unexpectedBody != "", errors.Is(r.err, errNoURL):
		return fault.Invalid
	case r.isTemporary():
		return fault.Transient
	case r.err != nil:
		return fault.Internal
	}
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.Denied
	case http.StatusNotFound:
		return fault.NotFound
	case http.StatusConflict, http.StatusMethodNotAllowed: // the description says 405 of what exists already, the server 409
		return fault.Conflict
	case http.StatusBadRequest:
		if strings.Contains(r.reason, "jwt") { // of a missing or malformed token, in place of 401
			return fault.Denied
		}
	}
	return fault.Invalid
}

// sanitize bounds what a server said, and leaves out a secret and what could control a terminal.
func sanitize(words, secret string) string {
	words = text.Sanitize(words, text.WithLimit(10*maxReason)) // first, as it may join the parts of a secret
	if secret != "" {
		words = strings.ReplaceAll(words, secret, "(secret)")
	}
	return text.Sanitize(words, text.WithLimit(maxReason))
}
