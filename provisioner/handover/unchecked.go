package handover

import (
	"fmt"
	"time"

	"exoshift/state"
)

// unchecked is what somebody decided not to check before the installation. It may be what breaks first.
func (s Source) unchecked() Section {
	section := Section{Title: "What was not checked"}
	for _, skipped := range s.Facts.SkippedChecks {
		until := ""
		if !skipped.Until.IsZero() {
			until = fmt.Sprintf(" (until %s)", skipped.Until.Format(time.DateOnly))
		}
		section.sentence("%s %s: %s%s", skipped.ID, skipped.Target, skipped.Reason, until)
	}
	if len(section.Rows) > 0 && s.Folder != "" && !s.Rehearsal {
		section.sentence("Check these once more before you rely on them:")
		section.command("exoshift check --answers " + quoted(s.path(state.AnswersFile)))
	}
	return section
}
