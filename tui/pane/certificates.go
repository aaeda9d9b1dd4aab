package pane

import (
	"fmt"
	"time"
)

// Certificates say how long the first certificates of the control plane live, as long as it does not stand on its own.
type Certificates struct {
	Theme Theme
	Until time.Time // zero: not known, or of no importance any more
	Now   time.Time // of the wall clock, which they live by
}

// certificatesWarnBefore is when it is time to hurry: a bootstrap takes an hour at most.
const certificatesWarnBefore = 12 * time.Hour

// RenderSummary is one short sentence, or "".
func (p Certificates) RenderSummary() string {
	left := p.Until.Sub(p.Now)
	switch {
	case p.Until.IsZero():
		return ""
	case left <= 0:
		return p.Theme.Style(Failed).Render("ended: the bootstrap can no longer complete")
	case left < certificatesWarnBefore:
		return p.Theme.Style(Warn).Render(formatRemaining(left) + " left to complete the bootstrap")
	}
	return formatRemaining(left) + " left to complete the bootstrap"
}

// FormatTitle adds to the title of a box how much time is left.
func (p Certificates) FormatTitle(title string) string {
	if p.Until.IsZero() {
		return title
	}
	return title + " (certs " + formatRemaining(max(0, p.Until.Sub(p.Now))) + ")"
}

func formatRemaining(left time.Duration) string {
	return fmt.Sprintf("%dh%02dm", int(left.Hours()), int(left.Minutes())%60)
}
