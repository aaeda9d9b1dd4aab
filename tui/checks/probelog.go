package checks

import (
	"time"

	"exoshift/tui/cells"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
)

type transition struct {
	at            time.Time
	host, source  string
	before, after preflight.SourceResult
}

const maxLogEntries = 200

func (b *Board) recordTransition(row *Row, vantage int, r reach.Result, now time.Time) {
	before := row.ReportedResults[vantage]
	if before.Verdict == "" || before.Verdict == r.Verdict && before.Class == r.Class {
		return
	}
	b.Log = append(b.Log, transition{
		at: now, host: row.Host(), source: b.ListColumns()[vantage], before: row.Results[vantage], after: preflight.SourceResult{Status: preflight.MapVerdict(r.Verdict), Result: r},
	})
	if len(b.Log) > maxLogEntries {
		b.Log = b.Log[len(b.Log)-maxLogEntries:]
	}
}

type logView struct {
	theme theme.Theme
	log   []transition
	note  string // what is watched; may be empty
}

// View draws what fits.
func (v logView) View(width, height int) string {
	lines := []string{" " + v.theme.Label.Render("Changes") + "  " + v.theme.Dim.Render(v.note)}
	for i := len(v.log) - 1; i >= 0 && len(lines) < height; i-- {
		lines = append(lines, v.renderLine(v.log[i]))
	}
	if len(v.log) == 0 {
		lines = append(lines, " "+v.theme.Dim.Render("none so far"))
	}
	return cells.Fill(lines, width, height)
}

func (v logView) renderLine(c transition) string {
	t := v.theme
	before, why := c.before.Result.Verdict, ""
	if c.after.Status != theme.OK {
		why = c.after.Result.Describe()
	}
	return " " + c.at.Format("15:04:05") + "  " + t.Mark(c.after.Status) + " " + c.host + t.Dim.Render(" from "+c.source+"  ") +
		preflight.MapVerdict(before).Word() + " " + t.Arrow + " " + t.Style(c.after.Status).Render(c.after.Status.Word()) + t.Dim.Render("  "+why)
}
