package vault

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxBody is how much a request may hold, in bytes.
const maxBody = 1 << 20

// request is one request below /v1/.
type request struct {
	*http.Request
	path  string
	token token
}

// getOperation returns what a request does, in the words of policies; exists tells whether what it writes is there.
func (r request) getOperation(exists bool) string {
	switch r.Method {
	case http.MethodGet:
		if r.URL.Query().Get("list") == "true" {
			return "list"
		}
		return "read"
	case "LIST":
		return "list"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		return "delete"
	case http.MethodPost, http.MethodPut:
		if exists {
			return "update"
		}
		return "create"
	}
	return ""
}

// is tells of a request to an endpoint that stands by itself. Vault does not tell PUT and POST apart.
func (r request) is(method, path string) bool {
	same := r.Method == method || method == http.MethodPost && r.Method == http.MethodPut
	return same && r.path == path
}

// decode reads the JSON body; an empty one is an empty object.
func (r request) decode(into any) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return newAPIError(http.StatusBadRequest, "error reading the request: %v", err)
	}
	if len(body) > maxBody {
		return newAPIError(http.StatusRequestEntityTooLarge, "http: request body too large")
	}
	if len(body) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // numbers are kept as they came
	if err := decoder.Decode(into); err != nil {
		return newAPIError(http.StatusBadRequest, "failed to parse JSON input: %v", err)
	}
	return nil
}

// mergePatch tells whether the body is what a PATCH has to be.
func (r request) mergePatch() bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/merge-patch+json"
}

// getToken returns the token that a request bears.
func (r request) getToken() string {
	if given := r.Header.Get("X-Vault-Token"); given != "" {
		return given
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer
}
