package tui

import (
	"exoshift/provisioner/handover"
	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// transfer is what the dashboard hands over once the run has ended well.
type transfer struct {
	report *handover.Report // nil: there is none yet
	open   bool             // it covers the panes
	offset int              // lines scrolled
}

// handedOver brings the report.
type handedOver struct{ report handover.Report }

// handOver has the report written, once, beside the screen.
func (d *dashboard) handOver() tea.Cmd {
	write := d.options.Handover
	if write == nil || d.board.Run.Result != "ok" {
		return nil
	}
	return func() tea.Msg { return handedOver{write()} }
}

// withdraw takes the report back: another run has begun.
func (d *dashboard) withdraw() {
	d.transfer = transfer{}
	d.keys.Handover.SetEnabled(false)
}

// receive opens the report, unless the operator looks at something else by then.
func (d *dashboard) receive(report handover.Report) {
	report = cleanReport(report, d.options.ASCII)
	d.transfer = transfer{report: &report, open: !d.help}
	d.keys.Handover.SetEnabled(true)
}

// turn handles the keys that open, close and scroll the report; it tells whether k was one.
func (d *dashboard) turn(k tea.KeyMsg) bool {
	t := &d.transfer
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
		d.leaf(-1)
	case key.Matches(k, d.keys.Down):
		d.leaf(1)
	case key.Matches(k, d.keys.PageUp):
		d.leaf(-d.leaves().H + 1)
	case key.Matches(k, d.keys.PageDown):
		d.leaf(d.leaves().H - 1)
	case k.Type == tea.KeyEnd, string(k.Runes) == "G":
		d.leaf(d.handover().Lines(d.leaves().W))
	case key.Matches(k, d.keys.Home):
		t.offset = 0
	default:
		return false
	}
	return true
}

// leaf scrolls the report.
func (d *dashboard) leaf(by int) {
	size := d.leaves()
	d.transfer.offset = min(max(d.transfer.offset+by, 0), max(d.handover().Lines(size.W)-size.H, 0))
}

// leaves is the size that the report is read in.
func (d *dashboard) leaves() Rect {
	l, _, _ := d.arrange()
	switch l.Mode {
	case Plain:
		return Rect{W: l.Body.W, H: l.Body.H - 1}
	case Compact:
		return Rect{W: l.Body.W - 2, H: l.Body.H}
	}
	return Rect{W: l.Body.W - 4, H: l.Body.H - 2}
}

func (d *dashboard) handover() pane.Handover {
	return pane.Handover{Theme: d.theme, Report: *d.transfer.report, Offset: d.transfer.offset}
}

// cleanReport makes a report harmless for the terminal.
func cleanReport(r handover.Report, ascii bool) handover.Report {
	r.Title, r.Note = cleanText(r.Title, ascii), cleanText(r.Note, ascii)
	for _, section := range []*handover.Section{&r.Stands, &r.Access, &r.Secrets, &r.Syn, &r.Left, &r.People, &r.Unchecked, &r.Cost, &r.Later, &r.DayTwo, &r.Took} {
		rows := make([]handover.Row, 0, len(section.Rows))
		for _, row := range section.Rows {
			row.Name, row.Text = cleanText(row.Name, ascii), cleanText(row.Text, ascii)
			rows = append(rows, row)
		}
		section.Rows = rows
	}
	return r
}

// smallHandover is the report on a small terminal, with the keys below it.
type smallHandover struct {
	report pane.Handover
	note   string
}

func (v smallHandover) View(width, height int) string {
	if height < 2 {
		return v.report.View(width, height)
	}
	return v.report.View(width, height-1) + "\n" + pane.Fill([]string{v.note}, width, 1)
}
