package conformance

import (
	"net/netip"
	"strings"
	"testing"
	"unicode"
)

// FuzzAnswers: what a machine saw steers no terminal, and an address has one form.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{"", "a 200 192.0.2.1\n", "a 0\nb x\n", "a 200 ::ffff:192.0.2.1", "a 99999999999999999999 x", "a 200 \x1b[2J\u202e\n", "a -1  b c ", "\xff 1 \xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		for name, got := range parseAnswers(content) {
			if name == "" || !strings.Contains(content, name) {
				t.Fatalf("%q has no %q", content, name)
			}
			if strings.IndexFunc(got.text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) >= 0 {
				t.Fatalf("it could steer a terminal: %q", got.text)
			}
			if address, err := netip.ParseAddr(got.text); err == nil && address.Is4In6() {
				t.Fatalf("%q is an IPv4 address", got.text)
			}
		}
	})
}
