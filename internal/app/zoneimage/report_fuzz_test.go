package zoneimage

import (
	"strings"
	"testing"
	"unicode"

	"exoshift/internal/fault"
)

// FuzzReport: a report that is accepted has what completes an upload, and what a machine says of its failure steers no terminal.
func FuzzReport(f *testing.F) {
	sum := strings.Repeat("0a", 16)
	for _, seed := range []string{
		"", "null", "{}", `{"md5":"` + sum + `","parts":[{}]}`, `{"md5":"` + sum + `","parts":[]}`, `{"failure":{"kind":99,"text":"a\u001b[2J","hint":"\u202e"}}`,
		`{"failure":{"kind":-1}}`, `{"md5":"` + sum + `00","parts":[{},{}]}`, "[", "\xff",
	} {
		f.Add([]byte(seed), 2)
	}
	f.Fuzz(func(t *testing.T, content []byte, most int) {
		done, err := parseReport(content, most)
		if err == nil {
			if len(done.MD5) != 32 || len(done.Parts) == 0 || len(done.Parts) > most {
				t.Fatalf("%q is %+v", content, done)
			}
			return
		}
		text := err.Error() + fault.HintOf(err)
		if fault.Is(err, fault.Cancelled) || strings.IndexFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) >= 0 {
			t.Fatalf("kind %d: %q", fault.KindOf(err), text)
		}
	})
}
