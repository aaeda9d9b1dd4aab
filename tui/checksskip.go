package tui

import (
	"strings"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/wizard/reach"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

// checkPopups opens what is shown above the page, and carries out what is chosen there.
type checkPopups struct{ *checksPage }

func (p checkPopups) openSkip(row *probeRow) {
	p.popups.Open = newSkipForm(p.session.theme, p.session.ascii, row.describe(), p.session.now(), func(reason string, until time.Time) tea.Cmd {
		p.addSkip(reach.Skip{ID: row.check.ID, Reason: reason, Until: until})
		return nil
	})
}

// The results from the zone stay valid: skipping a check changes none of them.
func (p checkPopups) addSkip(skip reach.Skip) {
	zone := zoneRunner(p).isZoneCurrent()
	if err := session.SkipCheck(p.session.Session, skip.ID, skip.String()); err != nil {
		p.showNotice("This check cannot be left out: " + err.Error())
		return
	}
	p.board.markSkipped(skip.ID, skip.Reason, skip.Until, p.session.now())
	if zone {
		p.zone.spec = p.session.Spec()
	}
	p.startChecks()
}

func (p checkPopups) showNotice(text string) {
	text = cells.SanitizeText(text, p.session.ascii)
	p.popups.Open = &components.TextPopup{Theme: p.session.theme, Lines: func(width int) []string {
		return append([]string{""}, cells.Wrap(text, " ", min(width, 90))...)
	}}
}

func (p checkPopups) openDetails(row *probeRow) {
	p.popups.Open = &components.TextPopup{Theme: p.session.theme, OnCopy: func() tea.Cmd { return p.copyTest(row) }, Lines: func(width int) []string {
		details := p.board.buildDetails(p.session.theme)
		details.Endpoint, details.SourceIndex = &row.Endpoint, p.board.resolveSource(row)
		return append([]string{""}, strings.Split(details.View(width, details.CountLines(width)), "\n")...)
	}}
}

func (p checkPopups) openRequest() {
	report := reach.Report{V: reach.Version, Started: p.at, Results: p.board.listResults()}
	demands := sanitizeDemands(reach.ListFirewallRules(report, p.board.listChecks()), p.session.ascii)
	p.popups.Open = &components.TextPopup{Theme: p.session.theme, Lines: preflight.FirewallRequest{Theme: p.session.theme, Rules: demands}.RenderLines}
}

func (p checkPopups) copyTest(row *probeRow) tea.Cmd {
	if command := row.FromSource(p.board.resolveSource(row)).Command; command != "" && p.session.out != nil {
		return app.CopyToClipboard(p.session.out, command)
	}
	return nil
}
