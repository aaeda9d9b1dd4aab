package tui

import (
	"time"

	"exoshift/internal/text"
)

// formatAge is coarse so that the screen does not change every second.
func formatAge(age time.Duration) string {
	switch {
	case age < 10*time.Second:
		return "just now"
	case age < time.Minute:
		return text.FormatDuration(age.Truncate(10*time.Second)) + " ago"
	}
	return text.FormatDuration(age.Truncate(time.Minute)) + " ago"
}
