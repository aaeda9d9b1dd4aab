package cluster

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/theme"

	"github.com/muesli/termenv"
)

func TestServices_LongNamesHaveRoom(t *testing.T) {
	now := time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC)
	p := Services{Theme: theme.New(termenv.Ascii, theme.NewTerminalPalette(), false), Now: now, Stages: []provisioner.StageView{
		{Service: "bootkube", Stage: "cb-bootstrap", State: provisioner.Started, At: now},
		{Service: "node-image-overlay", State: provisioner.Done, At: now},
	}}
	wide := strings.Join(p.renderLines(50), "\n")
	if !strings.Contains(wide, "node-image-overlay") || !strings.Contains(wide, "bootkube           cb-bootstrap") {
		t.Errorf("at 50 columns:\n%s", wide)
	}
	if narrow := strings.Join(p.renderLines(28), "\n"); !strings.Contains(narrow, "node-image-") || !strings.Contains(narrow, "cb-boot") {
		t.Errorf("at 28 columns:\n%s", narrow)
	}
}
