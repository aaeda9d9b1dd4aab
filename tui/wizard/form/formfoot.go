package form

import (
	"strings"

	"exoshift/internal/text"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/x/ansi"
)

// helpLines is the maximum for a form without the help panel beside it.
const helpLines = 4

// renderFooter returns the results of the lookups, and the help unless it is beside the form.
func (f formView) renderFooter(width int) []string {
	lines := f.renderLookups(width)
	if f.session.HelpBeside {
		return lines
	}
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	about := f.selectedRow().field.Help
	if about == "" {
		_, about, _ = strings.Cut(f.Help(), "\n")
	} else if why := f.selectedRow().field.Why; why != "" {
		about += " " + why
	}
	help := cells.Wrap(cells.SanitizeText(session.ReplaceKeys(f.session.Session, about), f.session.ASCII), "", width-3)
	if len(help) > helpLines {
		help = append(help[:helpLines-1], ansi.Truncate(help[helpLines-1], width-14, "")+" … F1: all")
	}
	for _, line := range help {
		lines = append(lines, "   "+f.session.Theme.Dim.Render(line))
	}
	return lines
}

func (f formView) renderLookups(width int) []string {
	var lines []string
	for _, q := range f.session.Lookups.List() {
		if q.Screen != f.screen {
			continue
		}
		lines = append(lines, f.renderLookup(q, width)...)
		for _, problem := range q.Result.Problems {
			if _, assigned := f.session.FindField(problem.Field); !assigned {
				lines = append(lines, f.renderUnassigned(theme.Failed, problem, width)...)
			}
		}
		for _, problem := range q.Result.Warnings {
			if _, assigned := f.session.FindField(problem.Field); !assigned {
				lines = append(lines, f.renderUnassigned(theme.Warn, problem, width)...)
			}
		}
	}
	return lines
}

// maxLookupLines is the maximum for the error of a failed lookup.
const maxLookupLines = 3

// The error of a failed lookup may need more than a line.
func (f formView) renderLookup(q session.Lookup, width int) []string {
	status := page.MapLookupStatus(q, f.session.Now())
	mark := "   " + f.session.Theme.Mark(status) + " "
	if q.Err == nil || status != theme.Warn {
		return []string{cells.Fit(mark+formatLookup(f.session, q), width)}
	}
	indent := strings.Repeat(" ", ansi.StringWidth(mark))
	lines := cells.Wrap(ansi.Strip(formatLookup(f.session, q)), "", width-len(indent)-2)
	if len(lines) > maxLookupLines {
		lines = append(lines[:maxLookupLines-1], lines[maxLookupLines-1]+" …")
	}
	for i, line := range lines {
		lines[i] = cells.Fit(mark+f.session.Theme.Caution.Render(line), width)
		mark = indent
	}
	return lines
}

// renderUnassigned renders a problem that belongs to no field.
func (f formView) renderUnassigned(status theme.Status, fault wizard.Problem, width int) []string {
	t := f.session.Theme
	message := f.session.FormatError(fault)
	if status == theme.Warn {
		message = f.session.FormatWarning(fault)
	}
	lines := cells.Wrap(message, "", width-9)
	for i, line := range lines {
		lines[i] = "       " + t.Style(status).Render(line)
	}
	return lines
}

func formatLookup(t *page.Context, q session.Lookup) string {
	title, now := cells.SanitizeText(q.Title, t.ASCII), t.Now()
	switch {
	case page.IsBusy(q, now):
		return title + ": " + t.Theme.Active.Render("checking…")
	case q.State != session.Known:
		return t.Theme.Dim.Render(title + ": runs once its inputs are set")
	case q.Result.Pending:
		return t.Theme.Dim.Render(title + ": " + q.Result.Summary)
	case q.Err != nil:
		return title + ": " + t.Theme.Caution.Render("lookup failed (ctrl+r retries): "+cells.SanitizeText(q.DescribeError(), t.ASCII))
	}
	return title + ": " + q.Result.Summary + t.Theme.Dim.Render(" ("+text.FormatAge(now.Sub(q.Ended))+")")
}
