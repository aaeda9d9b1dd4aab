package lieutenant

import (
	"net/http"
	"strings"
	"testing"
	"unicode"

	"exoshift/internal/fault"
)

func FuzzRefusal(f *testing.F) {
	for _, seed := range []string{`{"reason": "clusters is forbidden"}`, `{"reason": "the object has been modified"}`, `{"reason": 1}`, "<html>", "", "\x1b[2J"} {
		for _, status := range []int{http.StatusFound, http.StatusBadRequest, http.StatusForbidden, http.StatusConflict, http.StatusBadGateway} {
			f.Add(status, []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, status int, content []byte) {
		const token = "very-secret-token"
		refused := newAPIError(status, content, token)
		text := refused.Error()
		if text == "" || strings.Contains(text, token) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%d %q is told as %q", status, content, text)
		}
		if kind := refused.toFaultKind(); kind < fault.Internal || kind > fault.Cancelled {
			t.Fatalf("%d %q is of kind %d", status, content, kind)
		}
	})
}

func FuzzCheckManifest(f *testing.F) {
	f.Add([]byte(`{"kind": "List", "items": [{"kind": "Deployment", "metadata": {"name": "steward"}}]}`))
	f.Add([]byte(`{"kind": "List", "items": [null, {"metadata": null}]}`))
	f.Add([]byte("<html>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		switch refused := checkManifest(content, ""); {
		case refused == nil && !strings.Contains(string(content), "{"):
			t.Fatalf("%q was taken for the manifest", content)
		case refused != nil && refused.Error() == "":
			t.Fatalf("%q was refused without a word", content)
		}
	})
}
