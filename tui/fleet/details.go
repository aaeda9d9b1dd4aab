package fleet

import (
	"fmt"

	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

func (s *screen) renderCount(all, faulty int) string {
	count := fmt.Sprintf("%d of %d clusters", all, len(s.options.Rows))
	if faulty == 0 {
		return count
	}
	return count + ", " + s.theme.Style(theme.Warn).Render(fmt.Sprintf("%d need attention", faulty))
}

// renderDetails returns the sentences about the cluster at the cursor; as many as there is room for.
func (s *screen) renderDetails() []string {
	lines := make([]string, maxDetails)
	at := s.table.Cursor()
	if at < 0 || at >= len(s.shown) {
		return lines
	}
	details := s.shown[at].Details
	for n := range lines {
		switch {
		case n >= len(details):
		case n == maxDetails-1 && len(details) > maxDetails:
			lines[n] = s.theme.Dim.Render(fmt.Sprintf("and %d more", len(details)-n))
		default:
			lines[n] = cells.Truncate(cells.SanitizeText(details[n], s.options.ASCII), s.width)
		}
	}
	return lines
}
