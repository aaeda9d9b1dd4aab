package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"exoshift/internal/text"
)

type requestError struct {
	method, path string
	err          error // why there was no response
	status       int   // of the response
	operation    string
	reason       string        // of the operation, from the API: busy, conflict, ...
	message      string        // from the server
	pause        time.Duration // requested by the server
	rejected     bool          // by a server that has too much to do; nothing was carried out
	expired      bool          // the caller's context ended
}

func (f *requestError) Error() string {
	switch {
	case f.err != nil:
		return fmt.Sprintf("no response to %s %s: %s", f.method, f.path, text.Sanitize(f.err.Error(), text.WithLimit(maxMessage)))
	case f.operation != "":
		return "the operation ended in " + f.operation + f.formatReason()
	}
	return fmt.Sprintf("%s %s: %d %s%s", f.method, f.path, f.status, http.StatusText(f.status), f.formatReason())
}

func (f *requestError) formatReason() string {
	text := ""
	if f.reason != "" {
		text += ", reason " + f.reason
	}
	if f.message != "" {
		text += ": " + f.message
	}
	return text
}

func (f *requestError) Unwrap() error { return f.err }

// parseMessage reads the body of an error response: {"message"} of most endpoints, {"error"} of older ones, or a problem document
// (RFC 9457), each with details in "errors".
func parseMessage(body []byte) string {
	var problem struct {
		Message, Error, Title, Detail string
		Errors                        []json.RawMessage
	}
	if !json.Valid(body) {
		return strings.TrimSpace(string(body))
	}
	_ = json.Unmarshal(body, &problem) // a field of another type does not prevent the others from being read
	words := []string{problem.Message, problem.Error, problem.Title, problem.Detail}
	for _, detail := range problem.Errors {
		words = append(words, parseDetail(detail))
	}
	return joinDistinct(words)
}

// parseDetail reads an element of "errors": a string, or an object with a message and a location.
func parseDetail(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var detail struct{ Message, Detail, Path, Pointer, Location string }
	_ = json.Unmarshal(raw, &detail)
	place := detail.Path + detail.Pointer + detail.Location
	words := detail.Message + detail.Detail
	if place == "" || words == "" {
		return place + words
	}
	return place + " " + words
}

func joinDistinct(words []string) string {
	text := ""
	for _, word := range words {
		switch {
		case word == "" || strings.Contains(text, word):
		case text == "":
			text = word
		default:
			text += "; " + word
		}
	}
	return text
}

const (
	maxMessage = 600 // characters
	maxReason  = 60  // characters; the API uses single words
)

var signaturePattern = regexp.MustCompile(`(?i)(signature=)[^&\s",]+`)

// redactor removes secrets from messages: the API secret, and the signatures of requests and URLs, which a server may echo.
type redactor struct{ secret string }

func (r redactor) redact(words string) string {
	words = text.Sanitize(words, text.WithLimit(10*maxMessage)) // first, because it may join the parts of a secret
	if r.secret != "" {
		words = strings.ReplaceAll(words, r.secret, "(secret)")
	}
	words = signaturePattern.ReplaceAllString(words, "${1}(secret)")
	return text.Sanitize(words, text.WithLimit(maxMessage))
}
