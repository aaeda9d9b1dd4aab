package run

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/theme"
	"exoshift/tui/tuitest"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

func findings() []provisioner.Event {
	since := noon.Add(-14 * time.Minute)
	return []provisioner.Event{
		{Name: "slow", Confidence: "low", Text: "everything is slow", Hint: "wait", Since: &since},
		{
			Name: "blocked", Confidence: "high", Text: "masters cannot fetch their configuration", Since: &since,
			Hint: "add the rule:\nexo compute security-group rule add", Evidence: []string{"one", "two", "three", "four"},
		},
	}
}

func TestDiagnosis_SurestFirst(t *testing.T) {
	view := Diagnosis{Theme: tuitest.NewTheme(false), Findings: findings(), Now: noon}.View(70, 20)
	last := -1
	for _, text := range []string{
		"MOST LIKELY (high)  masters cannot", "for 14m, exoshift explain blocked", "Fix", "   exo compute security-group rule add", "Evidence", "   four",
		"POSSIBLE (low)  everything is slow",
	} {
		at := strings.Index(view, text)
		if at <= last {
			t.Errorf("%q is not where it belongs in\n%s", text, view)
		}
		last = at
	}
}

func TestNotice_EmptyWithoutFinding(t *testing.T) {
	if height := (Notice{Diagnosis{Theme: tuitest.NewTheme(false), Now: noon}}).Height(80); height != 0 {
		t.Errorf("%d lines", height)
	}
}

func TestNotice_KeepsCauseAndHint(t *testing.T) {
	notice := Notice{Diagnosis{Theme: tuitest.NewTheme(false), Findings: findings(), Now: noon}}
	for height := 3; height <= notice.Height(80); height++ {
		view := notice.View(80, height)
		for _, text := range []string{"MOST LIKELY (high)  masters cannot", "→ add the rule:"} {
			if !strings.Contains(view, text) {
				t.Errorf("%d lines lack %q:\n%s", height, text, view)
			}
		}
	}
	if view := notice.View(80, notice.Height(80)); !strings.Contains(view, "   three ") || strings.Contains(view, "   four ") {
		t.Errorf("the evidence is not cut at %d:\n%s", noticeMaxEvidence, view)
	}
}

// A style must not leak from a line into the frame beside it.
func TestWrap_KeepsStyles(t *testing.T) {
	styles := theme.New(termenv.ANSI, theme.NewTerminalPalette(), false)
	found := findings()
	found[1].Text = strings.Repeat("a long cause ", 12)
	for line := range strings.SplitSeq(Diagnosis{Theme: styles, Findings: found, Now: noon}.View(50, 20), "\n") {
		if open := strings.LastIndex(line, "\x1b["); open >= 0 && !strings.HasPrefix(line[open:], "\x1b[0m") {
			t.Errorf("%q leaves a style open", line)
		}
		if width := ansi.StringWidth(line); width != 50 {
			t.Errorf("%q is %d cells wide", line, width)
		}
	}
}
