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

type apiError struct {
	err            error  // why there was no response
	status         int    // of the response
	reason         string // from the server
	unexpectedBody string // describes a response that is not Lieutenant's
	fromLieutenant bool   // the unexpected response is probably Lieutenant's own
}

func (r *apiError) Error() string {
	switch {
	case r.err != nil:
		return "no response: " + sanitize(r.err.Error(), "")
	case r.unexpectedBody != "":
		return r.unexpectedBody
	case r.reason != "":
		return fmt.Sprintf("%s (%d)", r.reason, r.status)
	}
	return fmt.Sprintf("it responds %d %s", r.status, http.StatusText(r.status))
}

func (r *apiError) Unwrap() error { return r.err }

// newAPIError reads {"reason": …}, which every error of the API has; the token is never part of the message.
func newAPIError(status int, content []byte, token string) *apiError {
	var document struct{ Reason string }
	err := json.Unmarshal(content, &document)
	switch {
	case status < http.StatusBadRequest:
		return &apiError{status: status, unexpectedBody: "it redirects to another address, which Lieutenant never does"}
	case err == nil || len(content) == 0:
		return &apiError{status: status, reason: sanitize(document.Reason, token)}
	case status >= http.StatusInternalServerError: // a proxy often answers with a page
		return &apiError{status: status}
	}
	return &apiError{status: status, unexpectedBody: fmt.Sprintf("%s (%d)", describeUnexpected(content), status)}
}

func describeUnexpected(content []byte) string {
	text := strings.ToLower(strings.TrimSpace(string(content[:min(len(content), 64)])))
	switch {
	case text == "":
		return "the response is empty"
	case strings.HasPrefix(text, "<"):
		return "the response is a web page"
	}
	return "the response is not Lieutenant's JSON"
}

func (r *apiError) isTemporary() bool {
	switch {
	case r.unexpectedBody != "":
		return false
	case r.err != nil:
		return !isCertificateError(r.err) && !errors.Is(r.err, errNoURL)
	}
	if r.isUnauthorized() {
		return false
	}
	// Another client changed the object between the server's read and its write.
	raced := r.status == http.StatusConflict && strings.Contains(r.reason, "object has been modified")
	return raced || r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError
}

// isUnauthorized includes how Lieutenant rejects a token that its process has not accepted before: with the API server's 401
// inside of a 500.
func (r *apiError) isUnauthorized() bool {
	rejected := r.status == http.StatusInternalServerError && strings.Contains(r.reason, "the server has asked for the client to provide credentials")
	return (r.status == http.StatusUnauthorized || rejected) && r.unexpectedBody == ""
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
	if r.isUnauthorized() {
		return fault.Denied
	}
	switch r.status {
	case http.StatusForbidden:
		return fault.Denied
	case http.StatusNotFound:
		return fault.NotFound
	case http.StatusConflict, http.StatusMethodNotAllowed: // for what already exists the API description has 405, the server 409
		return fault.Conflict
	case http.StatusBadRequest:
		if strings.Contains(r.reason, "jwt") { // for a missing or malformed token, instead of 401
			return fault.Denied
		}
	}
	return fault.Invalid
}

// sanitize truncates a server's message, and removes the secret and control characters.
func sanitize(words, secret string) string {
	words = text.Sanitize(words, text.WithLimit(10*maxReason)) // first, because it may join the parts of a secret
	if secret != "" {
		words = strings.ReplaceAll(words, secret, "(secret)")
	}
	return text.Sanitize(words, text.WithLimit(maxReason))
}
