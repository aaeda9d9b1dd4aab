package console

import (
	"fmt"
	"time"

	"exoshift/internal/text"
	"exoshift/state"
)

// formatCertificates uses the wall clock, in a rehearsal too, as certificates do.
func formatCertificates(facts state.Facts, now time.Time) string {
	left := facts.IgnitionExpires.Sub(now)
	switch {
	case facts.IgnitionExpires.IsZero() || !facts.BootstrapRemoved.IsZero():
		return ""
	case left <= 0:
		return "ended at " + formatMinute(facts.IgnitionExpires)
	}
	return fmt.Sprintf("%s left, until %s", text.FormatDuration(left), formatMinute(facts.IgnitionExpires))
}

func formatMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 MST") }
