package tui

import (
	"fmt"

	"exoshift/provisioner"
	"exoshift/tui/pane"

	"github.com/charmbracelet/x/ansi"
)

// title names the cluster and says how the run is.
func (d *dashboard) title(width int) string {
	t := d.theme
	right := d.verdict(width >= plainWidth) + "  " + t.Bold.Render(pane.Clock(d.elapsed()))
	right += t.Dim.Render(d.pace()) + " "
	left := " " + t.Label.Render(d.options.Title)
	if d.options.Subtitle != "" {
		left += t.Dim.Render(" " + t.Dot + " " + d.options.Subtitle)
	}
	room := max(width-ansi.StringWidth(right)-1, 0)
	if ansi.StringWidth(left) > room {
		left = " " + t.Label.Render(d.options.Title)
	}
	return pane.Fit(pane.Fit(left, room)+" "+right, width)
}

// verdict says in a symbol and a word how the run is, and with count also how far.
func (d *dashboard) verdict(count bool) string {
	status, word := d.runStatus()
	verdict := d.theme.Mark(status) + " " + d.theme.Style(status).Bold(true).Render(word)
	if !count {
		return verdict
	}
	ended := 0
	for _, step := range d.board.Steps {
		if pane.EndedWell(step) {
			ended++
		}
	}
	return verdict + d.theme.Dim.Render(fmt.Sprintf("  %d/%d steps", ended, len(d.board.Steps)))
}

func (d *dashboard) runStatus() (pane.Status, string) {
	switch result := d.board.Run.Result; {
	case d.ended && result == "ok":
		return pane.OK, "DONE"
	case d.ended && result == "failed":
		return pane.Failed, "FAILED"
	case d.ended && d.board.Run.State != provisioner.Finished:
		return pane.Warn, "CUT OFF"
	case d.ended:
		return pane.Warn, "STOPPED"
	case d.stopping:
		return pane.Warn, "STOPPING"
	case d.board.Run.State == "":
		return pane.Waiting, "STARTING"
	}
	return pane.Running, "RUNNING"
}
