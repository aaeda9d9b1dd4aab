package review

import (
	"strings"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/checks"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// checkPopups opens what is shown above the page, and carries out what is chosen there.
type checkPopups struct{ *Checks }

func (p checkPopups) openSkip(row *checks.Row) {
	p.popups.Open = checks.NewSkipForm(p.session.Theme, p.session.ASCII, row.Describe(), p.session.Now(), func(reason string, until time.Time) tea.Cmd {
		p.addSkip(reach.Skip{ID: row.Reported.ID, Reason: reason, Until: until})
		return nil
	})
}

func (p checkPopups) addSkip(skip reach.Skip) {
	if err := p.runs.Skip(skip.ID, skip.String()); err != nil {
		p.showNotice("This check cannot be skipped: " + err.Error())
		return
	}
	p.board.MarkSkipped(skip, p.session.Now())
	p.startChecks()
}

func (p checkPopups) showNotice(text string) {
	text = cells.SanitizeText(text, p.session.ASCII)
	p.popups.Open = &components.TextPopup{Theme: p.session.Theme, Lines: func(width int) []string {
		return append([]string{""}, cells.Wrap(text, " ", min(width, 90))...)
	}}
}

func (p checkPopups) openDetails() {
	p.popups.Open = checks.NewDetails(checks.Details{
		Theme: p.session.Theme, Board: p.board, Copy: p.copyTest, CopyText: p.copyText, Move: func(by int) {
			if at := p.selectedIndex() + by; at >= len(p.runs.Steps()) {
				p.selectIndex(at)
			}
		},
	})
}

// openStep shows everything about the step at the cursor.
func (p checkPopups) openStep() {
	steps := p.listSteps()
	if p.selected >= len(steps) {
		return
	}
	details := preflight.CheckDetails{Theme: p.session.Theme, Check: checksView(p).buildCheck(steps[p.selected])}
	p.popups.Open = &components.TextPopup{Theme: p.session.Theme, Lines: func(width int) []string {
		return append([]string{""}, details.RenderLines(width)...)
	}, OnCopy: func() tea.Cmd {
		var lines []string
		for _, line := range details.RenderLines(maxCopyWidth) {
			lines = append(lines, strings.TrimSpace(ansi.Strip(line)))
		}
		return p.copyText(strings.Join(lines, "\n"))
	}}
}

// maxCopyWidth is in cells.
const maxCopyWidth = 200

func (p checkPopups) copyText(text string) tea.Cmd {
	if p.session.Out == nil {
		return nil
	}
	return app.CopyToClipboard(p.session.Out, text)
}

func (p checkPopups) openRequest() {
	report := reach.Report{V: reach.Version, Started: p.runs.Local.Began(), Results: p.board.ListResults()}
	demands := checks.SanitizeRules(reach.ListFirewallRules(report, p.board.ListChecks()), p.session.ASCII)
	p.popups.Open = &components.TextPopup{Theme: p.session.Theme, Lines: preflight.FirewallRequest{Theme: p.session.Theme, Rules: demands}.RenderLines}
}

func (p checkPopups) copyTest(row *checks.Row) tea.Cmd {
	if command := row.FromSource(p.board.ResolveSource(row)).Command; command != "" && p.session.Out != nil {
		return app.CopyToClipboard(p.session.Out, command)
	}
	return nil
}
