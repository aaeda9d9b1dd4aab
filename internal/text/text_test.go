package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"exoshift/internal/text"
)

func TestSanitize_HostileText(t *testing.T) {
	for _, c := range []struct{ name, foreign, line, lines string }{
		{"plain", "three words here", "three words here", "three words here"},
		{"line breaks", " two\r\n\tlines \u2028more\u0085end", "two lines more end", " two\n lines\nmore\nend"},
		{"colour", "a \x1b[31;1mred\x1b[0m word", "a red word", "a red word"},
		{"title", "\x1b]0;root@host\x07after", "after", "after"},
		{"link", "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click", "click"},
		{"8 bits", "\u009b31mred \u009d0;title\u009c\u0085", "red", "red"},
		{"sequence in a sequence", "\x1b\x1b[0m[31mred", "[31mred", "[31mred"},
		{"bell, delete, null", "a\ab\x7fc\x00d", "abcd", "abcd"},
		{"direction", "abc\u202etxt.exe\u2066\u200f", "abctxt.exe", "abctxt.exe"},
		{"zero width", "pay\u200bpal\u200d\ufeff\u00ad\u2060", "paypal", "paypal"},
		{"fillers", "a\u3164b\u115fc\u2800d\ufe0f", "abcd", "abcd"},
		{"tags", "a\U000e0041\U000e0042b", "ab", "ab"},
		{"private use", "a\ue000b", "ab", "ab"},
		{"not UTF-8", "bad \xff\xfe bytes", "bad \ufffd bytes", "bad \ufffd bytes"},
		{"leading mark", "\u0301x e\u0301", "x e\u0301", "x e\u0301"},
		{"indentation", "a:\n    b\n\n\n", "a: b", "a:\n    b"},
		{"other scripts", "Zürich 東京 صفحة 🙂", "Zürich 東京 صفحة 🙂", "Zürich 東京 صفحة 🙂"},
	} {
		if got := text.Sanitize(c.foreign); got != c.line {
			t.Errorf("%s: %q becomes %q, want %q", c.name, c.foreign, got, c.line)
		}
		if got := text.Sanitize(c.foreign, text.WithLines); got != c.lines {
			t.Errorf("%s: %q with lines becomes %q, want %q", c.name, c.foreign, got, c.lines)
		}
	}
}

func TestSanitize_Limit(t *testing.T) {
	for foreign, want := range map[string]string{
		strings.Repeat("ä", 11):                        strings.Repeat("ä", 10) + "…",
		strings.Repeat("ä", 10):                        strings.Repeat("ä", 10),
		"123456789 and more":                           "123456789…",
		strings.Repeat("\x1b[0m", 60) + "hidden":       "…",
		strings.Repeat("x", 200):                       "xxxxxxxxxx…",
		strings.Repeat("\x00", 159) + "ü and the rest": "…",
	} {
		if got := text.Sanitize(foreign, text.WithLimit(10)); got != want {
			t.Errorf("%.40q becomes %q, want %q", foreign, got, want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "\x1b[31mred\x1b[0m", "\x1b]0;t\x07", "\u202eevil\u2069", "a\r\nb\u2028c", "\xff\xfe", "e\u0301\u200b", "\x1b\x1b[[0m",
		"  a\n\t b \n", "\u009b\u009d\u0090x\u009c", strings.Repeat("long ", 50),
	} {
		f.Add(seed, 7)
	}
	f.Fuzz(func(t *testing.T, foreign string, limit int) {
		limit = 1 + abs(limit)%100
		line, lines := text.Sanitize(foreign), text.Sanitize(foreign, text.WithLines)
		short := text.Sanitize(foreign, text.WithLimit(limit))
		for _, safe := range []string{line, lines, short} {
			if !utf8.ValidString(safe) {
				t.Fatalf("%q becomes %q, which is not UTF-8", foreign, safe)
			}
			for _, r := range safe {
				if r != '\n' && (!unicode.IsPrint(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Bidi_Control)) {
					t.Fatalf("%q becomes %q, which has %U", foreign, safe, r)
				}
			}
		}
		if strings.Contains(line, "\n") || strings.Contains(line, "  ") || strings.TrimSpace(line) != line {
			t.Fatalf("%q becomes %q, which is not one line of words", foreign, line)
		}
		if again := text.Sanitize(line); again != line {
			t.Fatalf("%q becomes %q, and then %q", foreign, line, again)
		}
		if again := text.Sanitize(lines, text.WithLines); again != lines {
			t.Fatalf("%q becomes %q, and then %q", foreign, lines, again)
		}
		if n := utf8.RuneCountInString(short); n > limit+1 {
			t.Fatalf("%q becomes %q: %d characters, the limit is %d", foreign, short, n, limit)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
