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

// refusal is a request that did not succeed.
type refusal struct {
	err     error  // why there was no answer
	status  int    // of the answer
	reason  string // the server's words
	strange string // what is there in place of Lieutenant's answer
	given   bool   // the strange thing is Lieutenant's own, as far as can be seen
}

func (r *refusal) Error() string {
	switch {
	case r.err != nil:
		return "no answer: " + clean(r.err.Error(), "")
	case r.strange != "":
		return r.strange
	case r.reason != "":
		return fmt.Sprintf("%s (%d)", r.reason, r.status)
	}
	return fmt.Sprintf("it answers %d %s", r.status, http.StatusText(r.status))
}

func (r *refusal) Unwrap() error { return r.err }

// newRefusal reads {"reason": …}, which the API answers with always; the token never stands in what is told.
func newRefusal(status int, content []byte, token string) *refusal {
	var told struct{ Reason string }
	err := json.Unmarshal(content, &told)
	switch {
	case status < http.StatusBadRequest:
		return &refusal{status: status, strange: "it leads to another address, which Lieutenant never does"}
	case err == nil || len(content) == 0:
		return &refusal{status: status, reason: clean(told.Reason, token)}
	case status >= http.StatusInternalServerError: // what stands before it often answers with a page
		return &refusal{status: status}
	}
	return &refusal{status: status, strange: fmt.Sprintf("%s (%d)", strange(content), status)}
}

// strange says what was received in place of JSON.
func strange(content []byte) string {
	text := strings.ToLower(strings.TrimSpace(string(content[:min(len(content), 64)])))
	switch {
	case text == "":
		return "it answers with nothing"
	case strings.HasPrefix(text, "<"):
		return "it answers with a web page"
	}
	return "it answers with something else than Lieutenant's JSON"
}

// passing tells whether the same request may succeed later.
func (r *refusal) passing() bool {
	switch {
	case r.strange != "":
		return false
	case r.err != nil:
		return !certificate(r.err) && !errors.Is(r.err, errNoURL)
	}
	// Somebody else changed the object between the server's look and its write.
	raced := r.status == http.StatusConflict && strings.Contains(r.reason, "object has been modified")
	return raced || r.status == http.StatusTooManyRequests || r.status >= http.StatusInternalServerError
}

// unknown tells whether the token is not accepted.
func (r *refusal) unknown() bool { return r.status == http.StatusUnauthorized && r.strange == "" }

func (r *refusal) kind() fault.Kind {
	switch {
	case r.strange != "", errors.Is(r.err, errNoURL):
		return fault.Invalid
	case r.passing():
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

// clean bounds what a server said, and leaves out a secret and what could control a terminal.
func clean(words, secret string) string {
	words = text.Sanitize(words, text.Limit(10*maxReason)) // first, as it may join the parts of a secret
	if secret != "" {
		words = strings.ReplaceAll(words, secret, "(secret)")
	}
	return text.Sanitize(words, text.Limit(maxReason))
}
