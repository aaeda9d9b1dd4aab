package cluster

import (
	"fmt"
	"time"

	"exoshift/tui/theme"
)

// Certificates shows how long the first certificates of the control plane are valid, until the cluster renews them itself.
type Certificates struct {
	Theme theme.Theme
	Until time.Time // zero: not known, or irrelevant by now
	Now   time.Time // of the wall clock, which they expire by
}

// certificatesWarnBefore leaves ample time for a bootstrap, which takes an hour at most.
const certificatesWarnBefore = 12 * time.Hour

// RenderSummary returns one short sentence, or "".
func (p Certificates) RenderSummary() string {
	left := p.Until.Sub(p.Now)
	switch {
	case p.Until.IsZero():
		return ""
	case left <= 0:
		return p.Theme.Style(theme.Failed).Render("expired: the bootstrap can no longer complete")
	case left < certificatesWarnBefore:
		return p.Theme.Style(theme.Warn).Render(formatRemaining(left) + " left to complete the bootstrap")
	}
	return formatRemaining(left) + " left to complete the bootstrap"
}

// FormatTitle appends the remaining time to the title of a box.
func (p Certificates) FormatTitle(title string) string {
	if p.Until.IsZero() {
		return title
	}
	return title + " (certs " + formatRemaining(max(0, p.Until.Sub(p.Now))) + ")"
}

func formatRemaining(left time.Duration) string {
	return fmt.Sprintf("%dh%02dm", int(left.Hours()), int(left.Minutes())%60)
}
