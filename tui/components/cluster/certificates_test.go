package cluster

import (
	"testing"
	"time"

	"exoshift/tui/theme"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

func TestCertificates_RemainingTime(t *testing.T) {
	now := time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC)
	for left, want := range map[time.Duration]string{
		23*time.Hour + 41*time.Minute: "23h41m left to complete the bootstrap",
		59 * time.Second:              "0h00m left to complete the bootstrap",
		-time.Second:                  "expired: the bootstrap can no longer complete",
	} {
		p := Certificates{Theme: theme.New(termenv.Ascii, theme.NewTerminalPalette(), true), Until: now.Add(left), Now: now}
		if got := ansi.Strip(p.RenderSummary()); got != want {
			t.Errorf("%s: %q", left, got)
		}
	}
	if got := (Certificates{Now: now}).RenderSummary(); got != "" {
		t.Errorf("%q without certificates", got)
	}
}
