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
func (p *checksPage) openSkip(row *reachRow) {
	p.popup = newSkipForm(p.talk.theme, p.talk.ascii, row.about(), p.talk.now(), func(reason string, until time.Time) tea.Cmd {
		p.skip(reach.Skip{ID: row.check.ID, Reason: reason, Until: until})
		return nil
	})
}

// skip leaves a check out from now on. What was seen from the zone holds for the answers all the same.
func (p *checksPage) skip(skip reach.Skip) {
	field, known := p.talk.asking.fields[skipKey]
	if !known {
		return
	}
	zone := p.zoneCurrent()
	if err := p.talk.set(skipKey, field.Get(skipping(p.talk.spec(), skip))); err != nil {
		p.tell("This check cannot be left out: " + err.Error())
		return
	}
	p.board.skip(skip.ID, skip.Reason, skip.Until, p.talk.now())
	if zone {
		p.zone.spec = p.talk.spec()
	}
	p.run()
}

// skipping returns the answers with one check more left out.
func skipping(spec state.Spec, skip reach.Skip) state.Spec {
	skips := maps.Clone(spec.Checks.Skip)
	if skips == nil {
		skips = map[string]string{}
	}
	skips[skip.ID] = skip.String()
	spec.Checks.Skip = skips
	return spec
}

// tell shows a sentence until a key is pressed.
func (p *checksPage) tell(text string) {
	text = cleanText(text, p.talk.ascii)
	p.popup = &reader{theme: p.talk.theme, lines: func(width int) []string {
		return append([]string{""}, pane.Wrap(text, " ", min(width, 90))...)
	}}
}

// openDetails shows all that is known about a service.
func (p *checksPage) openDetails(row *reachRow) {
	p.popup = &reader{theme: p.talk.theme, copies: func() tea.Cmd { return p.copyTest(row) }, lines: func(width int) []string {
		details := p.board.details(p.talk.theme)
		details.Endpoint, details.Facing = &row.Endpoint, p.board.focus(row)
		return append([]string{""}, strings.Split(details.View(width, details.Lines(width)), "\n")...)
	}}
}

// openRequest shows what to ask those for who run the network.
func (p *checksPage) openRequest() {
	report := reach.Report{V: reach.Version, Started: p.at, Results: p.board.results()}
	demands := cleanDemands(reach.Demands(report, p.board.checks()), p.talk.ascii)
	p.popup = &reader{theme: p.talk.theme, lines: pane.Demands{Theme: p.talk.theme, Demands: demands}.Lines}
}

// copyTest gives the command that shows the same to the terminal's clipboard.
func (p *checksPage) copyTest(row *reachRow) tea.Cmd {
	if command := row.Sight(p.board.focus(row)).ByHand; command != "" && p.talk.out != nil {
		return clip(p.talk.out, command)
	}
	return nil
}
