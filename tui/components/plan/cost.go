package plan

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
)

// Cost is what a cluster costs, as far as prices are known.
type Cost struct {
	Theme       theme.Theme
	Hour, Month float64  // in CHF, EUR or USD: the numbers are the same
	Date        string   // of the prices
	Unknown     []string // instance types without a price
	Machines    int      // at the peak, with the temporary one
}

// View draws the sums, their parts, and what they do not include.
func (p Cost) View(width, height int) string {
	t := p.Theme
	lines := []string{
		t.Label.Render("Cost") + t.Dim.Render(text.WithAffixes(p.Date, "  prices of ", "")),
		t.Bold.Render(p.formatPerHour()) + "  " + t.Bold.Render(p.formatPerMonth()),
	}
	for _, unknown := range p.listUnpriced() {
		lines = append(lines, cells.WrapAfter(t.Mark(theme.Warn), t.Caution, unknown, t.Indent(), width)...)
	}
	if p.Machines > 0 {
		lines = append(lines, cells.WrapStyled(t.Dim, text.Plural(p.Machines, "machine")+", one temporary", "", width)...)
	}
	lines = append(lines, cells.WrapStyled(t.Dim, "CHF, EUR or USD; plus object storage and traffic", "", width)...)
	return cells.Fill(lines, width, height)
}

// RenderLine returns the sums in one line.
func (p Cost) RenderLine() string {
	line := p.formatPerHour() + ", " + p.formatPerMonth()
	if len(p.Unknown) > 0 {
		line += ", and more"
	}
	return line + p.Theme.Dim.Render(text.WithAffixes(p.Date, " (prices of ", ")"))
}

func (p Cost) formatPerHour() string { return fmt.Sprintf("%.2f/hour", p.Hour) }

func (p Cost) formatPerMonth() string { return fmt.Sprintf("%.0f/month", p.Month) }

func (p Cost) listUnpriced() []string {
	if len(p.Unknown) == 0 {
		return nil
	}
	return []string{"not included (price unknown): " + cells.Sanitize(strings.Join(p.Unknown, ", "))}
}
