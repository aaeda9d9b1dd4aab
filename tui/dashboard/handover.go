package dashboard

import (
	"exoshift/provisioner/handover"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/run"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// handoverPanel shows the handover report once it is written.
type handoverPanel struct {
	theme  theme.Theme
	report *handover.Report // nil until it is written
	open   bool             // it covers the panes
	offset int              // lines scrolled
}

type reportMsg struct{ report handover.Report }

func (h *handoverPanel) show(report handover.Report, ascii, open bool) {
	report = sanitizeReport(report, ascii)
	h.report, h.open, h.offset = &report, open, 0
}

func (h *handoverPanel) discard() { h.report, h.open, h.offset = nil, false, 0 }

// handleKey handles the keys that open, close and scroll the report; it reports whether k was one.
func (h *handoverPanel) handleKey(k tea.KeyMsg, keys keyMap, width, height int) bool {
	switch {
	case h.report == nil:
		return false
	case key.Matches(k, keys.Handover), k.Type == tea.KeyEnter:
		h.open, h.offset = !h.open, 0
		return true
	case !h.open:
		return false
	case key.Matches(k, keys.Back):
		h.open = false
		return true
	}
	return h.handleScrollKey(k, keys, width, height)
}

func (h *handoverPanel) handleScrollKey(k tea.KeyMsg, keys keyMap, width, height int) bool {
	var by int
	lines := h.build().CountLines(width)
	switch {
	case key.Matches(k, keys.Up):
		by = -1
	case key.Matches(k, keys.Down):
		by = 1
	case key.Matches(k, keys.PageUp):
		by = 1 - height
	case key.Matches(k, keys.PageDown):
		by = height - 1
	case k.Type == tea.KeyEnd, string(k.Runes) == "G":
		by = lines
	case key.Matches(k, keys.Home):
		by = -h.offset
	default:
		return false
	}
	h.offset = components.Scroll(h.offset, by, lines, height)
	return true
}

func (h *handoverPanel) build() run.Handover {
	return run.Handover{Theme: h.theme, Report: *h.report, Offset: h.offset}
}

func sanitizeReport(r handover.Report, ascii bool) handover.Report {
	r.Title, r.Note = cells.SanitizeText(r.Title, ascii), cells.SanitizeText(r.Note, ascii)
	for _, section := range []*handover.Section{&r.Summary, &r.Access, &r.Secrets, &r.Syn, &r.Remaining, &r.Actions, &r.SkippedChecks, &r.Cost, &r.Later, &r.DayTwo, &r.Durations} {
		rows := make([]handover.Row, 0, len(section.Rows))
		for _, row := range section.Rows {
			row.Name, row.Text = cells.SanitizeText(row.Name, ascii), cells.SanitizeText(row.Text, ascii)
			rows = append(rows, row)
		}
		section.Rows = rows
	}
	return r
}
