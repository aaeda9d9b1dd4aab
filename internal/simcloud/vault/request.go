package vault

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxBody limits a request's body, in bytes.
const maxBody = 1 << 20

type request struct {
	*http.Request
	path  string
	token token
}

// getOperation returns a request's operation in policies; exists reports whether the written secret exists.
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

// is matches a fixed endpoint. Vault treats PUT and POST alike.
func (r request) is(method, path string) bool {
	same := r.Method == method || method == http.MethodPost && r.Method == http.MethodPut
	return same && r.path == path
}

// decode treats an empty body as an empty object.
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
	if err := decoder.Decode(into); err != nil {
		return newAPIError(http.StatusBadRequest, "failed to parse JSON input: %v", err)
	}
	return nil
}

func (r request) mergePatch() bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/merge-patch+json"
}

func (r request) getToken() string {
	if given := r.Header.Get("X-Vault-Token"); given != "" {
		return given
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer
}
