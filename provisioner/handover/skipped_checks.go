package handover

import (
	"fmt"
	"time"

	"exoshift/state"
)

// A check that was skipped before the installation may be what fails first.
func (s Input) buildSkippedChecks() Section {
	section := Section{Title: "What was not checked"}
	for _, skipped := range s.Facts.SkippedChecks {
		until := ""
		if !skipped.Until.IsZero() {
			until = fmt.Sprintf(" (until %s)", skipped.Until.Format(time.DateOnly))
		}
		section.addText("%s %s: %s%s", skipped.ID, skipped.Target, skipped.Reason, until)
	}
	if len(section.Rows) > 0 && s.Folder != "" && !s.Rehearsal {
		section.addText("Check these once more before you rely on them:")
		section.addCommand("exoshift check --answers " + quotePath(s.joinPath(state.AnswersFile)))
	}
	return section
}
