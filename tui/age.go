package tui

import (
	"time"

	"exoshift/tui/pane"
)

// ago says how old something is. It is coarse, so that the screen does not change every second.
func ago(age time.Duration) string {
	switch {
	case age < 10*time.Second:
		return "just now"
	case age < time.Minute:
		return pane.Short(age.Truncate(10*time.Second)) + " ago"
	}
	return pane.Short(age.Truncate(time.Minute)) + " ago"
}
