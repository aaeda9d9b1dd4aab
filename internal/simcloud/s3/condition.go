package s3

import (
	"net/http"
	"strings"
)

// conditions are those of a write; the zero conditions always hold.
type conditions struct {
	absent bool   // If-None-Match: *
	tag    string // If-Match
}

// parseConditions refuses conditions that PutObject does not have.
func (r *request) parseConditions() (conditions, error) {
	none, tag := r.Header.Get("If-None-Match"), r.Header.Get("If-Match")
	dated := r.Header.Get("If-Modified-Since") + r.Header.Get("If-Unmodified-Since")
	if none != "" && (none != "*" || tag != "") || dated != "" {
		return conditions{}, errConditions
	}
	return conditions{absent: none != "", tag: tag}, nil
}

// check checks the current object; exists is false also for a delete marker.
func (c conditions) check(current object, exists bool) error {
	switch {
	case c.absent && exists:
		return errPrecondition
	case c.tag != "" && !exists:
		return errNoKey
	case c.tag != "" && !isTagMatch(c.tag, current.ETag):
		return errPrecondition
	}
	return nil
}

// isTagMatch: a weak tag never matches, and there is one tag, not a list.
func isTagMatch(given, etag string) bool {
	return given == "*" || given == etag || given == quote(etag)
}

// withHTTPTags returns the request as net/http understands it: If-Match is checked already, and If-None-Match has the quotes that
// HTTP requires and S3 does not.
func (r *request) withHTTPTags() *http.Request {
	served := r.Clone(r.Context())
	served.Header.Del("If-Match")
	if tag := r.Header.Get("If-None-Match"); tag != "" && tag != "*" && !strings.Contains(tag, `"`) {
		served.Header.Set("If-None-Match", quote(tag))
	}
	return served
}
