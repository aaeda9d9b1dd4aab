package checks

import (
	"context"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/command"

	tea "github.com/charmbracelet/bubbletea"
)

type (
	skipSavedMsg struct {
		id, reason string
		until      time.Time
		answer     string
		err        error
	}
	reportSavedMsg struct {
		paths []string
		err   error
	}
)

// setNotice replaces the key line until the next key.
func (s *checkScreen) setNotice(status theme.Status, words string) {
	s.notice = s.theme.Mark(status) + " " + cells.SanitizeText(words, s.options.ASCII)
}

// requestRun starts a run, after the operator accepts the estimate if the source has one.
func (s *checkScreen) requestRun(source int, ids []string) tea.Cmd {
	if source < 0 || source >= len(s.runner.runs) || s.runner.ending {
		return nil
	}
	where := preflight.DescribeSource(s.board.sourceNames[source])
	if s.runner.runs[source].running {
		s.notice = "a run from " + where + " is already running"
		return nil
	}
	terms := cells.SanitizeText(s.options.Estimate(s.options.Sources[source]), s.options.ASCII)
	if terms == "" {
		return s.runner.start(source, ids)
	}
	s.popups.Open = &components.Dialog{
		Theme: s.theme, Title: "Check from " + where + "?", Text: terms, Back: "cancel", Accept: "yes, check from there",
		OnAccept: func() tea.Cmd { return s.runner.start(source, ids) },
	}
	return nil
}

func (s *checkScreen) handleRunEnd(m runEndedMsg) tea.Cmd {
	cmd, failed := s.runner.finish(m)
	if failed {
		s.openFailure(m.source, m.err)
	}
	return cmd
}

func (s *checkScreen) openFailure(source int, err error) {
	if s.popups.Open != nil {
		s.setNotice(theme.Failed, err.Error()+fault.FormatHint(err))
		return
	}
	s.popups.Open = s.newTextPopup(theme.Failed, "The check failed from "+preflight.DescribeSource(s.board.sourceNames[source]), err.Error(), fault.HintOf(err))
}

func (s *checkScreen) newTextPopup(status theme.Status, title string, paragraphs ...string) components.Popup {
	t := s.theme
	return &components.TextPopup{Theme: t, Lines: func(width int) []string {
		lines := []string{"", " " + t.Mark(status) + " " + t.Bold.Render(title)}
		for _, paragraph := range paragraphs {
			if text := cells.SanitizeLines(paragraph, s.options.ASCII); text != "" {
				lines = append(append(lines, ""), cells.Wrap(text, " ", width)...)
			}
		}
		return lines
	}}
}

func (s *checkScreen) openSkip(row *Row) {
	check, skip := row.Reported, s.options.Skip
	about := row.Describe()
	s.popups.Open = NewSkipForm(s.theme, s.options.ASCII, about, s.options.Now(), func(reason string, until time.Time) tea.Cmd {
		cmd, _ := s.runner.spawn(func(context.Context) tea.Msg {
			answer, err := skip(check.ID, reason, until)
			return skipSavedMsg{check.ID, reason, until, answer, err}
		})
		return cmd
	})
}

func (s *checkScreen) handleSkip(m skipSavedMsg) {
	if m.err != nil {
		s.setNotice(theme.Failed, m.err.Error()+fault.FormatHint(m.err))
		return
	}
	s.board.MarkSkipped(reach.Skip{ID: m.id, Reason: m.reason, Until: m.until}, s.options.Now())
	answer, out := sanitizeBlock(m.answer, s.options.ASCII), s.options.Out
	s.popups.Open = &components.TextPopup{Theme: s.theme, OnCopy: func() tea.Cmd { return app.CopyToClipboard(out, m.answer) }, Lines: func(width int) []string {
		t := s.theme
		lines := []string{"", " " + t.Mark(theme.Skipped) + " " + t.Bold.Render("Skipped until "+m.until.Format(time.DateOnly)), ""}
		lines = append(lines, cells.Wrap("Skipped in this run. To skip it permanently, add this to the answers file:", " ", min(width, 90))...)
		lines = append(lines, "")
		for _, line := range answer {
			lines = append(lines, cells.Wrap(strings.TrimLeft(line, " "), line[:len(line)-len(strings.TrimLeft(line, " "))], width)...)
		}
		return lines
	}}
}

// sanitizeBlock makes lines safe for the terminal and keeps their indentation.
func sanitizeBlock(text string, ascii bool) []string {
	var lines []string
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		lines = append(lines, strings.Repeat(" ", min(indent, 40)+3)+cells.SanitizeText(line, ascii))
	}
	return lines
}

func (s *checkScreen) saveReport() tea.Cmd {
	report, save := s.runner.buildReport(), s.options.Save
	cmd, _ := s.runner.spawn(func(context.Context) tea.Msg {
		paths, err := save(report)
		return reportSavedMsg{paths, err}
	})
	return cmd
}

func (s *checkScreen) handleReportSaved(m reportSavedMsg) {
	if m.err != nil {
		s.setNotice(theme.Failed, m.err.Error()+fault.FormatHint(m.err))
		return
	}
	s.popups.Open = s.newTextPopup(theme.OK, "Report and firewall request written", strings.Join(m.paths, "\n"))
}

func (s *checkScreen) copyTest(row *Row) tea.Cmd {
	line := row.FromSource(s.board.ResolveSource(row)).Command
	if line == "" {
		line = cells.SanitizeLines(command.Build(row.Reported, reach.Result{}), s.options.ASCII)
	}
	if line == "" {
		s.setNotice(theme.Waiting, "no command for this check")
		return nil
	}
	return app.CopyToClipboard(s.options.Out, line)
}

func (s *checkScreen) handleCopied(m app.CopiedMsg) {
	if m.Err != nil {
		s.setNotice(theme.Failed, "not copied: "+m.Err.Error())
		return
	}
	text, _, more := strings.Cut(m.Text, "\n")
	if more {
		text += " …"
	}
	s.setNotice(theme.OK, "copied to the clipboard, if supported: "+text)
}

func (s *checkScreen) openDetails() {
	if s.board.SelectedRow() == nil {
		return
	}
	s.popups.Open = NewDetails(Details{
		Theme: s.theme, Board: s.board, Copy: s.copyTest, Move: func(by int) { s.board.move(by) },
		CopyText: func(text string) tea.Cmd { return app.CopyToClipboard(s.options.Out, text) },
	})
}

func (s *checkScreen) openRequest() {
	demands := SanitizeRules(reach.ListFirewallRules(s.runner.buildReport(), s.board.ListChecks()), s.options.ASCII)
	s.popups.Open = &components.TextPopup{Theme: s.theme, Lines: preflight.FirewallRequest{Theme: s.theme, Rules: demands, Note: "; e exports it to a file"}.RenderLines}
}

// SanitizeRules sanitizes the texts of a firewall request.
func SanitizeRules(demands []reach.FirewallRule, ascii bool) []reach.FirewallRule {
	cleaned := make([]reach.FirewallRule, 0, len(demands))
	for _, d := range demands {
		for _, text := range []*string{&d.ID, &d.Source, &d.Destination, &d.Port, &d.Reason, &d.Proof, &d.Owner, (*string)(&d.Ask)} {
			*text = cells.SanitizeText(*text, ascii)
		}
		cleaned = append(cleaned, d)
	}
	return cleaned
}

func (s *checkScreen) openHelp() {
	text := checkHelp
	if row := s.board.SelectedRow(); row != nil {
		text = row.FormatHelp() + "\n" + checkHelp
	}
	if s.options.ASCII {
		text = cells.ToASCII(text)
	}
	help := components.HelpText{Theme: s.theme, Text: text}
	s.popups.Open = &components.TextPopup{Theme: s.theme, Lines: help.RenderLines}
}

const checkHelp = "Layers: a connection has steps: name resolution (DNS), connection (TCP), encryption (TLS), and " +
	"the service's protocol (HTTP or other). The first failed step shows whom to ask.\n" +
	"Status: ok: reachable. warn: needs attention, does not block. failed: must be fixed before an installation. skipped: not checked.\n" +
	"Keys: up and down move, tab changes the source, enter shows details. r retries it, R retries all, w repeats every 30 " +
	"seconds. z checks from the zone. a shows all, / filters. x skips a check, with a reason. c copies a command that reproduces the " +
	"result. f shows the firewall request, e exports the report and the request. q quits."
