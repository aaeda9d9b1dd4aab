package components_test

import (
	"strings"
	"testing"

	"exoshift/tui/components"
	"exoshift/tui/tuitest"
)

func TestHelpText_MarksWhatIsCut(t *testing.T) {
	h := components.HelpText{Theme: tuitest.NewTheme(false), Text: "Workers: count\nNumber of nodes.\nWhy: More give more capacity.\nExample: 3"}
	lines := len(h.RenderLines(40))
	if whole := h.View(40, lines); strings.Contains(whole, "F1") {
		t.Errorf("all of it fits:\n%s", whole)
	}
	for height := 1; height < lines; height++ {
		if cut := h.View(40, height); strings.Count(cut, " … F1: all") != 1 || strings.Count(cut, "\n") != height-1 {
			t.Errorf("in %d lines:\n%s", height, cut)
		}
	}
}
