package tui

import (
	"maps"
	"strings"
	"time"

	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// skipKey is the answer that says which checks are left out.
const skipKey = "checks.skip"

// openSkip asks why a check is left out, and writes it into the answers.
func (p *checksPage) openSkip(row *probeRow) {
	p.popup = newSkipForm(p.session.theme, p.session.ascii, row.describe(), p.session.now(), func(reason string, until time.Time) tea.Cmd {
		p.addSkip(reach.Skip{ID: row.check.ID, Reason: reason, Until: until})
		return nil
	})
}

// addSkip leaves a check out from now on. What was seen from the zone holds for the answers all the same.
func (p *checksPage) addSkip(skip reach.Skip) {
	field, known := p.session.fieldIndex.fields[skipKey]
	if !known {
		return
	}
	zone := p.isZoneCurrent()
	if err := p.session.set(skipKey, field.Get(withSkip(p.session.spec(), skip))); err != nil {
		p.showNotice("This check cannot be left out: " + err.Error())
		return
	}
	p.board.markSkipped(skip.ID, skip.Reason, skip.Until, p.session.now())
	if zone {
		p.zone.spec = p.session.spec()
	}
	p.startChecks()
}

// withSkip returns the answers with one check more left out.
func withSkip(spec state.Spec, skip reach.Skip) state.Spec {
	skips := maps.Clone(spec.Checks.Skip)
	if skips == nil {
		skips = map[string]string{}
	}
	skips[skip.ID] = skip.String()
	spec.Checks.Skip = skips
	return spec
}

// showNotice shows a sentence until a key is pressed.
func (p *checksPage) showNotice(text string) {
	text = sanitizeText(text, p.session.ascii)
	p.popup = &textPopup{theme: p.session.theme, lines: func(width int) []string {
		return append([]string{""}, pane.Wrap(text, " ", min(width, 90))...)
	}}
}

// openDetails shows all that is known about a service.
func (p *checksPage) openDetails(row *probeRow) {
	p.popup = &textPopup{theme: p.session.theme, onCopy: func() tea.Cmd { return p.copyTest(row) }, lines: func(width int) []string {
		details := p.board.buildDetails(p.session.theme)
		details.Endpoint, details.SourceIndex = &row.Endpoint, p.board.resolveSource(row)
		return append([]string{""}, strings.Split(details.View(width, details.CountLines(width)), "\n")...)
	}}
}

// openRequest shows what to ask those for who run the network.
func (p *checksPage) openRequest() {
	report := reach.Report{V: reach.Version, Started: p.at, Results: p.board.listResults()}
	demands := sanitizeDemands(reach.ListFirewallRules(report, p.board.listChecks()), p.session.ascii)
	p.popup = &textPopup{theme: p.session.theme, lines: pane.FirewallRequest{Theme: p.session.theme, Rules: demands}.RenderLines}
}

// copyTest gives the command that shows the same to the terminal's clipboard.
func (p *checksPage) copyTest(row *probeRow) tea.Cmd {
	if command := row.FromSource(p.board.resolveSource(row)).Command; command != "" && p.session.out != nil {
		return copyToClipboard(p.session.out, command)
	}
	return nil
}
