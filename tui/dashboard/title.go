package dashboard

import (
	"fmt"
	"time"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/x/ansi"
)

// title is the first line: the cluster, the state of the run, its clock.
type title struct {
	theme   theme.Theme
	run     *runState
	options Options
}

// View draws the line; where there is little room, without the subtitle.
func (v title) View(width, height int) string {
	return cells.Fill([]string{v.render(width)}, width, height)
}

func (v title) render(width int) string {
	t := v.theme
	right := v.formatVerdict(width >= components.MinWidth) + "  " + t.Bold.Render(text.FormatClock(v.run.elapsed()))
	speed := t.Dim.Render(v.formatSpeed()) + " "
	if rest := v.formatRemaining(width); ansi.StringWidth(v.options.Title)+ansi.StringWidth(right+rest+speed)+2 <= width { // the cluster's ID comes first
		right += rest
	}
	right += speed
	left, room := " "+t.Label.Render(v.options.Title), max(width-ansi.StringWidth(right)-1, 0)
	for _, part := range []string{v.run.board.Verb, t.Dim.Render(v.options.Subtitle)} { // as many as fit
		if more := left + t.Dim.Render(" "+t.Dot+" ") + part; ansi.StringWidth(part) > 0 && ansi.StringWidth(more) <= room {
			left = more
		}
	}
	return cells.Fit(cells.Fit(left, room)+" "+right, width)
}

func (v title) formatVerdict(count bool) string {
	status, word := v.run.describe()
	verdict := v.theme.Mark(status) + " " + v.theme.Style(status).Bold(true).Render(word)
	if !count {
		return verdict
	}
	return verdict + v.theme.Dim.Render(fmt.Sprintf("  %d/%d steps", v.run.countSucceeded(), len(v.run.board.Steps)))
}

// formatRemaining returns the estimate of the remaining time, in minutes: it is no more exact than that.
func (v title) formatRemaining(width int) string {
	rest := v.run.board.EstimateRemaining(v.run.now())
	if v.run.ended || v.run.stopping || width < components.MinWidth || rest < time.Minute || v.run.board.Run.State == "" {
		return ""
	}
	return v.theme.Dim.Render(", about " + text.FormatDuration(rest.Round(time.Minute)) + " left")
}

func (v title) formatSpeed() string {
	switch o := v.options; {
	case o.Player != nil:
		return "  " + cells.SanitizeText(o.Player.Speed(), o.ASCII)
	case o.Speed != 0 && o.Speed != 1:
		return fmt.Sprintf("  %s%g", v.theme.Times, o.Speed)
	}
	return ""
}
