package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"
)

// Sizes of the screen of checks.
const (
	checksBesideFrom = 120 // columns from which on the details stand beside the list
	detailsLeast     = 9   // lines
)

// View draws the whole screen from memory alone.
func (s *checkScreen) View() string {
	if s.width <= 0 || s.height <= 0 {
		return ""
	}
	screen := s.screen()
	if s.checking.ASCII {
		return toASCII(screen)
	}
	return screen
}

func (s *checkScreen) screen() string {
	if s.width < plainWidth || s.height < plainHeight {
		return s.small()
	}
	c := canvas{width: s.width, height: s.height}
	c.draw(Rect{0, 0, s.width, 1}, pane.Lines{s.head(s.width)})
	c.draw(Rect{0, 1, s.width, 1}, pane.Lines{s.theme.Rule(s.width)})
	c.draw(Rect{0, s.height - 2, s.width, 1}, pane.Lines{s.theme.Rule(s.width)})
	c.draw(Rect{0, s.height - 1, s.width, 1}, pane.Lines{s.keyLine(s.width)})
	body := Rect{0, 2, s.width, s.height - 4}
	if s.popup != nil {
		c.draw(body, s.popup)
		return c.String()
	}
	p := s.arrange(body)
	c.draw(p.list, s.board.table(s.theme))
	for _, rule := range p.rules {
		c.draw(rule, pane.Lines{s.theme.Rule(rule.W)})
	}
	c.draw(p.wall, wall{s.theme})
	c.draw(p.details, s.details())
	c.draw(p.log, s.logView())
	return c.String()
}

// checkParts say where everything goes.
type checkParts struct {
	list, wall, details, log Rect
	rules                    []Rect
}

// arrange puts the details beside the list or below it, and what changed below them.
func (s *checkScreen) arrange(body Rect) checkParts {
	if s.width >= checksBesideFrom {
		return s.arrangeBeside(body)
	}
	var p checkParts
	log := s.logRoom(body.H)
	wanted := min(max(s.details().Lines(body.W), detailsLeast), (body.H-log)/2)
	list := max(min(s.board.table(s.theme).Height()+1, body.H-wanted-log-1), 4)
	p.list, body = body.top(list)
	p.rules, body = append(p.rules, Rect{body.X, body.Y, body.W, 1}), Rect{body.X, body.Y + 1, body.W, body.H - 1}
	p.details = body
	if log > 0 {
		p.details, p.log = body.top(min(max(s.details().Lines(body.W), detailsLeast), body.H-log))
		p.rules, p.log = append(p.rules, Rect{p.log.X, p.log.Y, p.log.W, 1}), Rect{p.log.X, p.log.Y + 1, p.log.W, p.log.H - 1}
	}
	return p
}

// logRoom is how many lines of a screen are kept for what changed, with the rule above it.
func (s *checkScreen) logRoom(height int) int {
	if !s.logs() || height < 16 {
		return 0
	}
	return min(len(s.board.log)+2, max(height/5, 4))
}

func (s *checkScreen) arrangeBeside(body Rect) checkParts {
	var p checkParts
	p.list, body = body.left(body.W * 58 / 100)
	p.wall, p.details = body.left(2)
	if wanted := s.details().Lines(p.details.W); s.logs() {
		p.details, p.log = p.details.top(min(max(wanted+1, detailsLeast), p.details.H*2/3))
	}
	return p
}

// logs tells whether what changed is worth room.
func (s *checkScreen) logs() bool { return s.watching || len(s.board.log) > 0 }

// listRoom is how many lines the list has.
func (s *checkScreen) listRoom() int {
	return s.arrange(Rect{0, 2, s.width, s.height - 4}).list.H
}

// wall is a line between what stands side by side.
type wall struct{ theme pane.Theme }

// View draws the line at the left.
func (v wall) View(width, height int) string {
	return pane.Fill(slices.Repeat([]string{v.theme.Wall()}, max(height, 0)), width, height)
}

func (s *checkScreen) details() pane.EndpointDetails {
	details := s.board.details(s.theme)
	if n := s.board.findings(); n > 0 {
		details.Note = pane.Plural(n, "finding") + " " + s.theme.Arrow + " firewall request (f)"
	}
	return details
}

func (s *checkScreen) logView() logView {
	note := ""
	switch left := s.due.Sub(s.checking.Now()); {
	case s.watching && len(s.runs) > 0 && s.runs[0].running:
		note = "watching: a look is under way"
	case s.watching && left > 0:
		note = "watching: the next look is in " + pane.Short(left+time.Second-1)
	}
	return logView{theme: s.theme, log: s.board.log, note: note}
}

// head counts for each vantage what is well, and says how old that is.
func (s *checkScreen) head(width int) string {
	t := s.theme
	left := " " + t.Label.Render("Reachability")
	names, gap := s.board.names, "   "
	if width < 80 {
		names, gap = s.board.columns(), "  "
	}
	for i, vantage := range names {
		left += gap + s.tally(i, vantage)
	}
	right := " " + s.when() + " "
	switch longer := left + t.Dim.Render("   "+s.checking.Title); {
	case s.doing != "" && s.busy():
		left += t.Active.Render("   " + s.doing)
	case s.checking.Title != "" && ansi.StringWidth(longer)+ansi.StringWidth(right) < width:
		left = longer
	}
	return pane.Fit(pane.Fit(left, max(width-ansi.StringWidth(right), 0))+right, width)
}

// tally says in numbers how everything is from a vantage.
func (s *checkScreen) tally(i int, vantage string) string {
	good, looked, status := s.board.tally(i)
	if s.runs[i].running {
		status = pane.Running
	}
	switch {
	case looked > 0:
	case s.runs[i].err != nil && status == pane.Waiting:
		return vantage + " " + s.theme.Mark(pane.Failed) + " no look"
	case status == pane.Waiting:
		return s.theme.Dim.Render(vantage + " not yet")
	default:
		return vantage + " " + s.theme.Mark(status)
	}
	return vantage + " " + s.theme.Style(status).Render(fmt.Sprintf("%d/%d", good, looked)) + " " + s.theme.Mark(status)
}

// when says when the latest run of everything was and how long it took, or how long one has been going on.
func (s *checkScreen) when() string {
	t, latest := s.theme, checkRun{}
	for _, run := range s.runs {
		switch {
		case s.leaving:
			return t.Caution.Render("ENDING")
		case run.running:
			return t.Active.Render("running " + pane.Short(s.checking.Now().Sub(run.since)))
		case run.ended && run.began.After(latest.began):
			latest = run
		}
	}
	if !latest.ended {
		return ""
	}
	return t.Dim.Render("run " + latest.began.Format("15:04") + ", " + pane.Short(latest.took))
}

// keyLine names the keys; what has just been done is told in their place.
func (s *checkScreen) keyLine(width int) string {
	t := s.theme
	switch {
	case s.leaving:
		return pane.Fit(" "+t.Mark(pane.Running)+" the runs are being ended, and what was set up elsewhere is taken away", width)
	case s.filtering:
		return pane.Fit(" "+t.Label.Render("/")+s.board.word+t.Selected.Render(" ")+t.Dim.Render("   filters: enter keeps, esc clears"), width)
	case s.notice != "":
		return pane.Fit(" "+s.notice, width)
	case s.popup != nil:
		return keyNames(t, s.popup.hints(), width)
	}
	k := s.keys
	return keyNames(t, []key.Binding{k.Leave, k.Help, k.Again, k.All, k.Second, k.Skip, k.Watch, k.Export, k.Request, k.Everything, k.Copy, k.Accept, k.Filter, k.Next}, width)
}

// keyNames names as many keys as there is room for; the first ones take precedence.
func keyNames(t pane.Theme, bindings []key.Binding, width int) string {
	line := ""
	for _, binding := range bindings {
		name := " " + t.Bold.Render(binding.Help().Key) + " " + t.Dim.Render(binding.Help().Desc) + " "
		if binding.Enabled() && ansi.StringWidth(line)+ansi.StringWidth(name) <= width {
			line += name
		}
	}
	return pane.Fit(line, width)
}

// small is the screen for terminals that are too small for panes: how it is in a few lines.
func (s *checkScreen) small() string {
	if s.popup != nil {
		return s.popup.View(s.width, s.height)
	}
	var lines []string
	for i, vantage := range s.board.names {
		lines = append(lines, " "+s.tally(i, vantage))
	}
	for _, cause := range s.board.list().causes {
		lines = append(lines, pane.Wrap(cause, " ", s.width)...)
	}
	details := s.details()
	if details.Endpoint != nil {
		lines = append(lines, strings.Split(details.View(s.width, details.Lines(s.width)), "\n")...)
	}
	note := s.keyLine(s.width)
	if !s.leaving && !s.filtering && s.notice == "" {
		note = s.theme.Dim.Render(" small terminal: status only, q leaves")
	}
	if len(lines) >= s.height && s.height > 1 {
		lines = lines[:s.height-1]
	}
	return pane.Fill(append(lines, note), s.width, s.height)
}
