package vault

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"unicode"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
)

// FuzzParse parses Vault's response to a request for a secret.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"data": {"data": {"a": "b", "n": 12345678901234567890, "o": {"x": null}}, "metadata": {"version": 3, "deletion_time": ""}}}`,
		`{"data": {"data": null, "metadata": {"version": 2, "deletion_time": "2026-05-04T14:02:00Z\u001b[2J"}}}`, `{"data": null}`, `{}`, `{"data": {}}`, `{"data": {"metadata": {"version": -1}}}`,
		"<html>", "", `{"data": {"data": {"a": 1e999}, "metadata": {"version": 1}}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h, err := parseSecret(strings.NewReader(body))
		switch {
		case err != nil && (h.version != 0 || h.values != nil):
			t.Fatalf("%v, and version %d", err, h.version)
		case err == nil && (h.version < 0 || h.version == 0 && h.values != nil || h.isDeleted() && h.deletionError().Error() == ""):
			t.Fatalf("version %d with %d keys", h.version, len(h.values))
		case strings.ContainsFunc(h.deleted, func(r rune) bool { return !unicode.IsPrint(r) }) || len(h.deleted) > 4*maxMessage+3:
			t.Fatalf("it was deleted at %q", h.deleted)
		}
		for key, value := range h.values {
			text, err := formatValue(value)
			if _, is := value.(string); err != nil || !is && !json.Valid([]byte(text)) {
				t.Fatalf("%q is %q, %v", key, text, err)
			}
		}
	})
}

// FuzzRefusal checks errors of servers that repeat the request: they must not contain control characters.
func FuzzRefusal(f *testing.F) {
	for _, seed := range []string{"", "permission denied", "* missing client token", "very-\x1b[0msecret-\u200bvalue", "\x1b]0;very-secret-value\x07", strings.Repeat("a", 290) + "very-secret-value"} {
		f.Add(http.StatusForbidden, seed)
		f.Add(http.StatusBadGateway, seed)
	}
	f.Fuzz(func(t *testing.T, status int, words string) {
		const secret = "very-secret-value"
		refused := toResponseFault("read a secret", &api.ResponseError{StatusCode: status, Errors: []string{words, secret + words}}, []string{secret, ""})
		text := refused.Error() + fault.HintOf(refused)
		if strings.Contains(text, secret) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("%q is told as %q", words, text)
		}
	})
}
