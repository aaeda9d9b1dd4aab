// Package rest holds what all kinds of resources share of the Exoscale API's wire format: requests, errors, and checks of values.
package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// Request is one authenticated request.
type Request struct {
	*http.Request
	Zone    string // "" at api.exoscale.com, which serves only what belongs to the whole organization
	Content []byte // of the body
}

// Handler serves a request: it returns a value for the response's JSON, or an error, an *Error for all but an internal one.
type Handler func(*Request) (any, error)

// Register adds a route, e.g. "GET /instance/{id}".
type Register func(pattern string, h Handler)

// ID returns the ID in the path.
func (r *Request) ID() string { return r.PathValue("id") }

// Field returns the last path segment of a request that resets a field.
func (r *Request) Field() string { return r.PathValue("field") }

// Query returns a query parameter.
func (r *Request) Query(name string) string { return r.URL.Query().Get(name) }

// Action returns the part after the colon: "start" of "/instance/<id>:start".
func (r *Request) Action() string {
	path := r.URL.Path
	return path[strings.LastIndexByte(path, ':')+1:]
}

// Decode decodes the body.
func (r *Request) Decode(into any) error {
	if err := json.Unmarshal(r.Content, into); err != nil {
		return Invalidf("request body: %v", err)
	}
	return nil
}

// DecodeOptional is Decode for a body that may be missing.
func (r *Request) DecodeOptional(into any) error {
	if len(bytes.TrimSpace(r.Content)) == 0 {
		return nil
	}
	return r.Decode(into)
}
