package cells

import (
	"strings"
	"testing"
)

func TestFindTargets_InnermostAndCut(t *testing.T) {
	inner := MarkTarget("key:esc", "\x1b[1mesc\x1b[0m back")
	screen := "first\n" + MarkTarget("pane: ü", "ab"+inner+"→ "+"\x1b[31mtail\x1b[0m")
	plain, targets := FindTargets(screen)
	if want := "first\nab\x1b[1mesc\x1b[0m back→ \x1b[31mtail\x1b[0m"; plain != want {
		t.Errorf("plain screen:\n%q\n%q", plain, want)
	}
	for _, c := range []struct {
		column, line int
		want         string
	}{{0, 0, ""}, {0, 1, "pane: ü"}, {2, 1, "key:esc"}, {9, 1, "key:esc"}, {10, 1, "pane: ü"}, {15, 1, "pane: ü"}, {16, 1, ""}, {2, 2, ""}} {
		if got := targets.At(c.column, c.line); got != c.want {
			t.Errorf("%d,%d: %q, not %q", c.column, c.line, got, c.want)
		}
	}
}

func TestMarkTarget_SurvivesFitting(t *testing.T) {
	marked := MarkTarget("row", "0123456789") + MarkTarget("next", "abc")
	if n := Count(marked); n != 13 {
		t.Errorf("%d cells", n)
	}
	plain, targets := FindTargets(Fit(marked, 6))
	if plain != "01234…" || targets.At(5, 0) != "row" || targets.At(6, 0) != "" {
		t.Errorf("%q %v", plain, targets)
	}
	wrapped, found := FindTargets(strings.Join(Wrap("a "+MarkTarget("link", "https://example.net/")+" b", "", 12), "\n"))
	if strings.Contains(wrapped, "\x1b") || found.At(0, 0) != "" {
		t.Errorf("%q %v", wrapped, found)
	}
}
