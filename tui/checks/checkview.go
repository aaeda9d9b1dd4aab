package checks

import (
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

const (
	minCheckWideWidth = 120 // columns from which on the details are beside the list
	minDetailsHeight  = 9   // lines
)

// checkView is one frame of the screen.
type checkView struct{ *checkScreen }

func (s checkView) render() string {
	if s.width < components.MinWidth || s.height < components.MinHeight {
		return s.renderSmall()
	}
	c := components.Canvas{Width: s.width, Height: s.height}
	c.Draw(components.Rect{X: 0, Y: 0, W: s.width, H: 1}, components.Lines{s.renderHeader(s.width)})
	c.Draw(components.Rect{X: 0, Y: 1, W: s.width, H: 1}, components.Lines{s.theme.RenderRule(s.width)})
	c.Draw(components.Rect{X: 0, Y: s.height - 2, W: s.width, H: 1}, components.Lines{s.theme.RenderRule(s.width)})
	c.Draw(components.Rect{X: 0, Y: s.height - 1, W: s.width, H: 1}, components.Lines{s.renderKeyLine(s.width)})
	body := components.Rect{X: 0, Y: 2, W: s.width, H: s.height - 4}
	if s.popups.Open != nil {
		c.Draw(body, s.popups.Open)
		return c.String()
	}
	p := s.computeLayout(body)
	c.Draw(p.list, s.board.BuildTable(s.theme))
	for _, rule := range p.rules {
		c.Draw(rule, components.Lines{s.theme.RenderRule(rule.W)})
	}
	c.Draw(p.divider, components.VerticalRule{Theme: s.theme})
	c.Draw(p.details, s.buildDetails())
	c.Draw(p.log, s.buildLogView())
	return c.String()
}

type checkLayout struct {
	list, divider, details, log components.Rect
	rules                       []components.Rect
}

func (s checkView) computeLayout(body components.Rect) checkLayout {
	if s.width >= minCheckWideWidth {
		return s.computeWideLayout(body)
	}
	var p checkLayout
	log := s.computeLogHeight(body.H)
	wanted := min(max(s.buildDetails().CountLines(body.W), minDetailsHeight), (body.H-log)/2)
	list := max(min(s.board.BuildTable(s.theme).Height()+1, body.H-wanted-log-1), 4)
	p.list, body = body.SplitTop(list)
	p.rules, body = append(p.rules, components.Rect{X: body.X, Y: body.Y, W: body.W, H: 1}), components.Rect{X: body.X, Y: body.Y + 1, W: body.W, H: body.H - 1}
	p.details = body
	if log > 0 {
		p.details, p.log = body.SplitTop(min(max(s.buildDetails().CountLines(body.W), minDetailsHeight), body.H-log))
		p.rules, p.log = append(p.rules, components.Rect{X: p.log.X, Y: p.log.Y, W: p.log.W, H: 1}), components.Rect{X: p.log.X, Y: p.log.Y + 1, W: p.log.W, H: p.log.H - 1}
	}
	return p
}

// computeLogHeight includes the rule above the log.
func (s checkView) computeLogHeight(height int) int {
	if !s.isLogShown() || height < 16 {
		return 0
	}
	return min(len(s.board.Log)+2, max(height/5, 4))
}

func (s checkView) computeWideLayout(body components.Rect) checkLayout {
	var p checkLayout
	p.list, body = body.SplitLeft(body.W * 58 / 100)
	p.divider, p.details = body.SplitLeft(2)
	if wanted := s.buildDetails().CountLines(p.details.W); s.isLogShown() {
		p.details, p.log = p.details.SplitTop(min(max(wanted+1, minDetailsHeight), p.details.H*2/3))
	}
	return p
}

func (s checkView) isLogShown() bool { return s.runner.watching || len(s.board.Log) > 0 }

func (s checkView) computeListHeight() int {
	return s.computeLayout(components.Rect{X: 0, Y: 2, W: s.width, H: s.height - 4}).list.H
}

func (s checkView) buildDetails() preflight.EndpointDetails {
	details := s.board.BuildDetails(s.theme)
	if n := s.board.CountFindings(); n > 0 {
		details.Note = text.Plural(n, "finding") + " " + s.theme.Arrow + " firewall request (f)"
	}
	return details
}

func (s checkView) buildLogView() logView {
	note := ""
	switch left := s.runner.nextRun.Sub(s.options.Now()); {
	case s.runner.watching && len(s.runner.runs) > 0 && s.runner.runs[0].running:
		note = "watching: check running"
	case s.runner.watching && left > 0:
		note = "watching: next check in " + text.FormatDuration(left+time.Second-1)
	}
	return logView{theme: s.theme, log: s.board.Log, note: note}
}

func (s checkView) renderHeader(width int) string {
	t := s.theme
	left := " " + t.Label.Render("Connectivity")
	names, gap := s.board.sourceNames, "   "
	if width < 80 {
		names, gap = s.board.ListColumns(), "  "
	}
	for i, vantage := range names {
		left += gap + s.formatTally(i, vantage)
	}
	right := " " + s.formatLastRun() + " "
	switch longer := left + t.Dim.Render("   "+s.options.Title); {
	case s.runner.progress != "" && s.runner.isRunning():
		left += t.Active.Render("   " + s.runner.progress)
	case s.options.Title != "" && ansi.StringWidth(longer)+ansi.StringWidth(right) < width:
		left = longer
	}
	return cells.Fit(cells.Fit(left, max(width-ansi.StringWidth(right), 0))+right, width)
}

func (s checkView) formatTally(i int, vantage string) string {
	good, looked, status := s.board.CountReached(i)
	if s.runner.runs[i].running {
		status = theme.Running
	}
	switch {
	case looked > 0:
	case s.runner.runs[i].err != nil && status == theme.Waiting:
		return vantage + " " + s.theme.Mark(theme.Failed) + " not run"
	case status == theme.Waiting:
		return s.theme.Dim.Render(vantage + " not yet")
	default:
		return vantage + " " + s.theme.Mark(status)
	}
	return vantage + " " + s.theme.Style(status).Render(fmt.Sprintf("%d/%d", good, looked)) + " " + s.theme.Mark(status)
}

func (s checkView) formatLastRun() string {
	t, latest := s.theme, checkRun{}
	for _, run := range s.runner.runs {
		switch {
		case s.runner.ending:
			return t.Caution.Render("ENDING")
		case run.running:
			return t.Active.Render("running " + text.FormatDuration(s.options.Now().Sub(run.since)))
		case run.completed && run.began.After(latest.began):
			latest = run
		}
	}
	if !latest.completed {
		return ""
	}
	return t.Dim.Render("run " + latest.began.Format("15:04") + ", " + text.FormatDuration(latest.took))
}

func (s checkView) renderKeyLine(width int) string {
	t := s.theme
	switch {
	case s.runner.ending:
		return cells.Fit(" "+t.Mark(theme.Running)+" stopping, deleting temporary resources", width)
	case s.filtering:
		const usage = "   filter: enter applies, esc clears"
		return cells.Fit(" "+t.Label.Render("/")+s.board.Filter.Render(t, width-2-len(usage))+t.Dim.Render(usage), width)
	case s.notice != "":
		return cells.Fit(" "+s.notice, width)
	case s.popups.Open != nil:
		return components.RenderKeys(t, s.popups.Open.Hints(), width)
	}
	k := s.keys
	return components.RenderKeys(t, []key.Binding{k.Leave, k.Help, k.Accept, k.Filter, k.Again, k.All, k.Zone, k.Skip, k.Watch, k.Export, k.Request, k.ShowAll, k.Copy, k.Next, k.Mouse}, width)
}

// renderSmall is the screen for terminals that are too small for panes: the status in a few lines.
func (s checkView) renderSmall() string {
	if s.popups.Open != nil {
		return s.popups.Open.View(s.width, s.height)
	}
	var lines []string
	for i, vantage := range s.board.sourceNames {
		lines = append(lines, " "+s.formatTally(i, vantage))
	}
	for _, cause := range s.board.GetList().causes {
		lines = append(lines, cells.Wrap(cause, " ", s.width)...)
	}
	details := s.buildDetails()
	if details.Endpoint != nil {
		lines = append(lines, strings.Split(details.View(s.width, details.CountLines(s.width)), "\n")...)
	}
	note := s.renderKeyLine(s.width)
	if !s.runner.ending && !s.filtering && s.notice == "" {
		note = s.theme.Dim.Render(" small terminal: status only, q quits")
	}
	if len(lines) >= s.height && s.height > 1 {
		lines = lines[:s.height-1]
	}
	return cells.Fill(append(lines, note), s.width, s.height)
}
