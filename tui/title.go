package tui

import (
	"fmt"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/components/run"
	"exoshift/tui/theme"

	"github.com/charmbracelet/x/ansi"
)

func (d *dashboard) renderTitle(width int) string {
	t := d.theme
	right := d.formatVerdict(width >= plainWidth) + "  " + t.Bold.Render(text.FormatClock(d.elapsed()))
	right += t.Dim.Render(d.formatSpeed()) + " "
	left := " " + t.Label.Render(d.options.Title)
	if d.options.Subtitle != "" {
		left += t.Dim.Render(" " + t.Dot + " " + d.options.Subtitle)
	}
	room := max(width-ansi.StringWidth(right)-1, 0)
	if ansi.StringWidth(left) > room {
		left = " " + t.Label.Render(d.options.Title)
	}
	return cells.Fit(cells.Fit(left, room)+" "+right, width)
}

func (d *dashboard) formatVerdict(count bool) string {
	status, word := d.describeRun()
	verdict := d.theme.Mark(status) + " " + d.theme.Style(status).Bold(true).Render(word)
	if !count {
		return verdict
	}
	ended := 0
	for _, step := range d.board.Steps {
		if run.HasSucceeded(step) {
			ended++
		}
	}
	return verdict + d.theme.Dim.Render(fmt.Sprintf("  %d/%d steps", ended, len(d.board.Steps)))
}

func (d *dashboard) describeRun() (theme.Status, string) {
	switch result := d.board.Run.Result; {
	case d.ended && result == "ok":
		return theme.OK, "DONE"
	case d.ended && result == "failed":
		return theme.Failed, "FAILED"
	case d.ended && d.board.Run.State != provisioner.Finished:
		return theme.Warn, "CUT OFF"
	case d.ended:
		return theme.Warn, "STOPPED"
	case d.stopping:
		return theme.Warn, "STOPPING"
	case d.board.Run.State == "":
		return theme.Waiting, "STARTING"
	}
	return theme.Running, "RUNNING"
}
