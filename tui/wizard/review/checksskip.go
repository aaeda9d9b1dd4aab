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

func (p checkPopups) openDetails(row *checks.Row) {
	p.popups.Open = &components.TextPopup{Theme: p.session.Theme, OnCopy: func() tea.Cmd { return p.copyTest(row) }, Lines: func(width int) []string {
		details := p.board.BuildDetails(p.session.Theme)
		details.Endpoint, details.SourceIndex = &row.Endpoint, p.board.ResolveSource(row)
		return append([]string{""}, strings.Split(details.View(width, details.CountLines(width)), "\n")...)
	}}
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
