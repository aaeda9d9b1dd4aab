package tui

import (
	"exoshift/provisioner/handover"
	"exoshift/tui/cells"
	"exoshift/tui/components/run"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type handoverState struct {
	report *handover.Report // nil until it is written
	open   bool             // it covers the panes
	offset int              // lines scrolled
}

type reportMsg struct{ report handover.Report }

// writeReport writes the report once, in the background.
func (d *dashboard) writeReport() tea.Cmd {
	write := d.options.Handover
	if write == nil || d.board.Run.Result != "ok" {
		return nil
	}
	return func() tea.Msg { return reportMsg{write()} }
}

// discardReport is called when another run begins.
func (d *dashboard) discardReport() {
	d.handoverState = handoverState{}
	d.keys.Handover.SetEnabled(false)
}

// handleReport opens the report, unless something else is open.
func (d *dashboard) handleReport(report handover.Report) {
	report = sanitizeReport(report, d.options.ASCII)
	d.handoverState = handoverState{report: &report, open: !d.help}
	d.keys.Handover.SetEnabled(true)
}

// handleReportKey handles the keys that open, close and scroll the report; it reports whether k was one.
func (d *dashboard) handleReportKey(k tea.KeyMsg) bool {
	t := &d.handoverState
	switch {
	case t.report == nil:
		return false
	case key.Matches(k, d.keys.Handover), k.Type == tea.KeyEnter:
		t.open, t.offset, d.details = !t.open, 0, false
	case !t.open:
		return false
	case key.Matches(k, d.keys.Back):
		t.open = false
	case key.Matches(k, d.keys.Up):
		d.scrollReport(-1)
	case key.Matches(k, d.keys.Down):
		d.scrollReport(1)
	case key.Matches(k, d.keys.PageUp):
		d.scrollReport(-d.reportRect().H + 1)
	case key.Matches(k, d.keys.PageDown):
		d.scrollReport(d.reportRect().H - 1)
	case k.Type == tea.KeyEnd, string(k.Runes) == "G":
		d.scrollReport(d.buildReport().CountLines(d.reportRect().W))
	case key.Matches(k, d.keys.Home):
		t.offset = 0
	default:
		return false
	}
	return true
}

func (d *dashboard) scrollReport(by int) {
	size := d.reportRect()
	d.handoverState.offset = min(max(d.handoverState.offset+by, 0), max(d.buildReport().CountLines(size.W)-size.H, 0))
}

func (d *dashboard) reportRect() Rect {
	l, _, _ := d.computeLayout()
	switch l.Mode {
	case Plain:
		return Rect{W: l.Body.W, H: l.Body.H - 1}
	case Compact:
		return Rect{W: l.Body.W - 2, H: l.Body.H}
	}
	return Rect{W: l.Body.W - 4, H: l.Body.H - 2}
}

func (d *dashboard) buildReport() run.Handover {
	return run.Handover{Theme: d.theme, Report: *d.handoverState.report, Offset: d.handoverState.offset}
}

func sanitizeReport(r handover.Report, ascii bool) handover.Report {
	r.Title, r.Note = sanitizeText(r.Title, ascii), sanitizeText(r.Note, ascii)
	for _, section := range []*handover.Section{&r.Summary, &r.Access, &r.Secrets, &r.Syn, &r.Remaining, &r.Actions, &r.SkippedChecks, &r.Cost, &r.Later, &r.DayTwo, &r.Durations} {
		rows := make([]handover.Row, 0, len(section.Rows))
		for _, row := range section.Rows {
			row.Name, row.Text = sanitizeText(row.Name, ascii), sanitizeText(row.Text, ascii)
			rows = append(rows, row)
		}
		section.Rows = rows
	}
	return r
}

type smallReport struct {
	report run.Handover
	note   string
}

func (v smallReport) View(width, height int) string {
	if height < 2 {
		return v.report.View(width, height)
	}
	return v.report.View(width, height-1) + "\n" + cells.Fill([]string{v.note}, width, 1)
}
