package tui

import (
	"time"

	"exoshift/tui/pane"
	"exoshift/wizard/reach"
)

// transition is a service that became better or worse.
type transition struct {
	at            time.Time
	host, vantage string
	before, after pane.Sight
}

// longestLog is how many transitions are remembered.
const longestLog = 200

// note remembers that something changed.
func (b *reachBoard) note(row *reachRow, vantage int, r reach.Result, now time.Time) {
	before := row.results[vantage]
	if before.Verdict == "" || before.Verdict == r.Verdict && before.Class == r.Class {
		return
	}
	b.log = append(b.log, transition{
		at: now, host: row.Host(), vantage: b.columns()[vantage], before: row.Sights[vantage], after: pane.Sight{Status: pane.StatusOf(r.Verdict), Result: r},
	})
	if len(b.log) > longestLog {
		b.log = b.log[len(b.log)-longestLog:]
	}
}

// logView shows the last transitions, the latest first.
type logView struct {
	theme pane.Theme
	log   []transition
	note  string // what is watched; may be empty
}

// View draws what fits.
func (v logView) View(width, height int) string {
	lines := []string{" " + v.theme.Label.Render("What changed") + "  " + v.theme.Dim.Render(v.note)}
	for i := len(v.log) - 1; i >= 0 && len(lines) < height; i-- {
		lines = append(lines, v.line(v.log[i]))
	}
	if len(v.log) == 0 {
		lines = append(lines, " "+v.theme.Dim.Render("nothing so far"))
	}
	return pane.Fill(lines, width, height)
}

func (v logView) line(c transition) string {
	t := v.theme
	before, why := c.before.Result.Verdict, ""
	if c.after.Status != pane.OK {
		why = c.after.Result.Sentence()
	}
	return " " + c.at.Format("15:04:05") + "  " + t.Mark(c.after.Status) + " " + c.host + t.Dim.Render(" from "+c.vantage+"  ") +
		pane.StatusOf(before).Word() + " " + t.Arrow + " " + t.Style(c.after.Status).Render(c.after.Status.Word()) + t.Dim.Render("  "+why)
}
