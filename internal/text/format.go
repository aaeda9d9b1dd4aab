package text

import (
	"fmt"
	"strings"
	"time"
)

// FormatClock formats the elapsed time of a run, e.g. 00:17:42.
func FormatClock(d time.Duration) string {
	s := int(max(d, 0).Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// FormatDuration formats a duration for people, e.g. 42s, 1m58s, 2h05m.
func FormatDuration(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h > 0:
		return fmt.Sprintf("%dh%02dm", h, m)
	case m > 0 && s == 0:
		return fmt.Sprintf("%dm", m)
	case m > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	}
	return fmt.Sprintf("%ds", s)
}

// Plural counts things: 1 step, 2 steps.
func Plural(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	case strings.HasSuffix(noun, "s"): // a storage class
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// WithAffixes puts text between before and after; an empty text stays empty.
func WithAffixes(text, before, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}

// FormatAge formats how long ago something was. It is coarse so that the screen does not change every second.
func FormatAge(age time.Duration) string {
	switch {
	case age < 10*time.Second:
		return "just now"
	case age < time.Minute:
		return FormatDuration(age.Truncate(10*time.Second)) + " ago"
	}
	return FormatDuration(age.Truncate(time.Minute)) + " ago"
}
