package cells

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

func TestSanitize_RemovesEscapes(t *testing.T) {
	for dirty, clean := range map[string]string{
		"master-0":                         "master-0",
		"\x1b[31mred\x1b[0m":               "red",
		"\x1b]0;new title\x07after":        "after",
		"\x1b]8;;http://evil\x1b\\link":    "link",
		"two\nlines\r\nand\ta  tab":        "two lines and a tab",
		"bell\x07 back\x08 \u009b31mspace": "bell back space",
		"\u202etxt.exe\u200b":              "txt.exe",
		"\xffbroken":                       "\uFFFDbroken",
		"\u0301accent":                     "accent",
		"世界":                               "世界",
	} {
		if got := Sanitize(dirty); got != clean {
			t.Errorf("Clean(%q) = %q, want %q", dirty, got, clean)
		}
	}
	if got := Sanitize(strings.Repeat("x", 1<<20)); len(got) > maxRemoteText+len("…") {
		t.Errorf("a long text stays %d bytes long", len(got))
	}
}

func TestFit_MeasuresCells(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"ab", 4, "ab  "}, {"abcdef", 4, "abc…"}, {"世界世界", 5, "世界…"}, {"世界世界", 4, "世… "}, {"x", 0, ""}, {"x", -1, ""},
	} {
		if got := Fit(c.text, c.width); got != c.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestWrap_KeepsNamesWhole(t *testing.T) {
	got := Wrap("add tcp 22623 to c-demo-1_control_plane and averyveryverylongword", "> ", 24)
	want := []string{"> add tcp 22623 to", "> c-demo-1_control_plane", "> and", "> averyveryverylongword"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, line := range Wrap(strings.Repeat("世", 40), "  ", 11) {
		if w := ansi.StringWidth(line); w > 11 {
			t.Errorf("%q is %d cells wide", line, w)
		}
	}
}

// countCells agrees with the width in the terminal.
func TestCount_MatchesTerminal(t *testing.T) {
	for _, text := range []string{
		"", "plain", "✓ ok · 3×4 → …", "\x1b[1;32m✓\x1b[0m done", "世界", "✓\ufe0f", "a\u0301", "·\u0301", "\x1b]0;t\x07x", "\x1b[2Kx", "\x1b[", "é", "\xe2\x9c",
		singleCellSymbols, "👩‍👩‍👧‍👦x", "─│╭", "x\x7fy",
	} {
		if got, want := Count(text), ansi.StringWidth(text); got != want {
			t.Errorf("%q has %d cells, counted %d", text, want, got)
		}
	}
}
