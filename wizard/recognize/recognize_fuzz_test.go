package recognize_test

import (
	"net/netip"
	"strings"
	"testing"

	"exoshift/wizard/recognize"
)

// FuzzRecognize: what is taken from a pasted text is a valid answer, and a secret is recognized wherever there is white space around it.
func FuzzRecognize(f *testing.F) {
	for _, seed := range []string{
		"", "https://*.Apps.c.example.org:443/x", "10.0.0.0 / 8", "10.1.2.3/8 ", "/23", "a 1 b 2", "EXO0123456789abcdef01234567", `{"auths":{}}`, "sha256~x", "-----BEGIN OPENSSH PRIVATE KEY-----",
		"AGE-SECRET-KEY-1", "\x1b[2J", "\xff", "::/0", "http://[::1%25eth0]/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		valid := func(answer string) bool { return answer != "" && !strings.ContainsAny(answer, " /:\x1b") }
		for _, found := range []string{recognize.Domain(text, valid), recognize.Number(text, valid)} {
			if found != "" && !valid(found) {
				t.Fatalf("%q became %q", text, found)
			}
		}
		if found := recognize.Range(text); found != "" {
			if prefix, err := netip.ParsePrefix(found); err != nil || prefix != prefix.Masked() {
				t.Fatalf("%q became %q: %v", text, found, err)
			}
		}
		if kind := recognize.Secret(text); kind != recognize.Secret(" "+text+"\n") {
			t.Fatalf("%q is %q, and with white space %q", text, kind, recognize.Secret(" "+text+"\n"))
		}
		if len(recognize.SecretAsName(text)) > 0 && strings.Contains(recognize.SecretAsName(text), text) && len(text) > 20 {
			t.Fatalf("%q is told", text)
		}
	})
}
