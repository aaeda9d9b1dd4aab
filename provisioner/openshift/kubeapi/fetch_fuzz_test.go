package kubeapi

import (
	"strings"
	"testing"
	"unicode"

	"exoshift/internal/fault"
)

// FuzzRefusal decodes error responses of an API server, or of another server in its place.
func FuzzRefusal(f *testing.F) {
	for _, seed := range []string{`{"kind": "Status", "reason": "Forbidden", "message": "no\u001b[2J", "code": 403}`, `{"kind": "Status", "reason": "NotFound", "details": null}`, `{"kind": 1}`, "<html>", "", "null"} {
		f.Add(403, []byte(seed))
		f.Add(502, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, code int, content []byte) {
		refused := toStatusError("get", "secrets", "a", code, content)
		current := fault.New(fault.Internal, "read secrets a", refused)
		if refused == nil || strings.ContainsFunc(current.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Fatalf("%d %q is told as %q", code, content, current)
		}
		var object map[string]any
		if err := decode("read secrets a", content, &object); err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Fatalf("%q is told as %q", content, err)
		}
	})
}
