package tui

import (
	"context"
	"strings"
	"time"

	"exoshift/tui/pane"
	"exoshift/wizard/reach"

	tea "github.com/charmbracelet/bubbletea"
)

// How what the operator wanted done ended.
type (
	skippedCheck struct {
		id, reason string
		until      time.Time
		answer     string
		err        error
	}
	savedReport struct {
		paths []string
		err   error
	}
)

// tell says something on the key line until the next key.
func (s *checkScreen) tell(status pane.Status, words string) {
	s.notice = s.theme.Mark(status) + " " + cleanText(words, s.checking.ASCII)
}

func (s *checkScreen) openSkip(row *reachRow) {
	check, skip := row.check, s.checking.Skip
	about := row.about()
	s.popup = newSkipForm(s.theme, s.checking.ASCII, about, s.checking.Now(), func(reason string, until time.Time) tea.Cmd {
		cmd, _ := s.spawn(func(context.Context) tea.Msg {
			answer, err := skip(check.ID, reason, until)
			return skippedCheck{check.ID, reason, until, answer, err}
		})
		return cmd
	})
}

// hearSkip shows what to write into the answers.
func (s *checkScreen) hearSkip(m skippedCheck) {
	if m.err != nil {
		s.tell(pane.Failed, m.err.Error()+hintBehind(m.err))
		return
	}
	s.board.skip(m.id, m.reason, m.until, s.checking.Now())
	answer, out := cleanBlock(m.answer, s.checking.ASCII), s.checking.Out
	s.popup = &reader{theme: s.theme, copies: func() tea.Cmd { return clip(out, m.answer) }, lines: func(width int) []string {
		t := s.theme
		lines := []string{"", " " + t.Mark(pane.Skipped) + " " + t.Bold.Render("Left out until "+m.until.Format(time.DateOnly)), ""}
		lines = append(lines, pane.Wrap("This run leaves it out from now on. So that others do, too, write this into the answers file:", " ", min(width, 90))...)
		lines = append(lines, "")
		for _, line := range answer {
			lines = append(lines, pane.Wrap(strings.TrimLeft(line, " "), line[:len(line)-len(strings.TrimLeft(line, " "))], width)...)
		}
		return lines
	}}
}

// cleanBlock makes lines harmless for the terminal and keeps their indentation.
func cleanBlock(text string, ascii bool) []string {
	var lines []string
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		lines = append(lines, strings.Repeat(" ", min(indent, 40)+3)+cleanText(line, ascii))
	}
	return lines
}

// save has the report written.
func (s *checkScreen) save() tea.Cmd {
	report, save := s.report(), s.checking.Save
	cmd, _ := s.spawn(func(context.Context) tea.Msg {
		paths, err := save(report)
		return savedReport{paths, err}
	})
	return cmd
}

func (s *checkScreen) hearSaved(m savedReport) {
	if m.err != nil {
		s.tell(pane.Failed, m.err.Error()+hintBehind(m.err))
		return
	}
	s.popup = s.letter(pane.OK, "The report and the firewall request are written", strings.Join(m.paths, "\n"))
}

// copyTest gives the command that shows the same to the terminal's clipboard.
func (s *checkScreen) copyTest(row *reachRow) tea.Cmd {
	command := row.Sight(s.board.focus(row)).ByHand
	if command == "" {
		command = cleanLines(reach.ByHand(row.check, reach.Result{}), s.checking.ASCII)
	}
	if command == "" {
		s.tell(pane.Waiting, "there is no command for this one")
		return nil
	}
	return clip(s.checking.Out, command)
}

func (s *checkScreen) hearCopied(m copied) {
	if m.err != nil {
		s.tell(pane.Failed, "not copied: "+m.err.Error())
		return
	}
	s.tell(pane.OK, "given to the terminal's clipboard, if it has one: "+m.text)
}

// openDetails shows all that is known about the selected service.
func (s *checkScreen) openDetails() {
	row := s.board.current()
	if row == nil {
		return
	}
	s.popup = &reader{theme: s.theme, copies: func() tea.Cmd { return s.copyTest(row) }, lines: func(width int) []string {
		details := s.details()
		details.Endpoint = &row.Endpoint
		return append([]string{""}, strings.Split(details.View(width, details.Lines(width)), "\n")...)
	}}
}

// openRequest shows what to ask those for who run the network.
func (s *checkScreen) openRequest() {
	demands := cleanDemands(reach.Demands(s.report(), s.board.checks()), s.checking.ASCII)
	s.popup = &reader{theme: s.theme, lines: pane.Demands{Theme: s.theme, Demands: demands, Note: "; e writes it into a file"}.Lines}
}

// cleanDemands makes a firewall request harmless for the terminal.
func cleanDemands(demands []reach.Demand, ascii bool) []reach.Demand {
	cleaned := make([]reach.Demand, 0, len(demands))
	for _, d := range demands {
		for _, text := range []*string{&d.ID, &d.Source, &d.Destination, &d.Port, &d.Reason, &d.Proof, &d.Owner, (*string)(&d.Ask)} {
			*text = cleanText(*text, ascii)
		}
		cleaned = append(cleaned, d)
	}
	return cleaned
}

func (s *checkScreen) openHelp() {
	text := checkHelp
	if row := s.board.current(); row != nil {
		text = row.help() + "\n" + checkHelp
	}
	if s.checking.ASCII {
		text = toASCII(text)
	}
	help := helpText{s.theme, text}
	s.popup = &reader{theme: s.theme, lines: help.lines}
}

// help says about a service why it is checked.
func (r *reachRow) help() string {
	help := r.Check.Title + "\nWhat: " + r.Check.ID + ", " + r.Target()
	if r.Check.Reason != "" {
		help += "\nWhy: " + r.Check.Reason
	}
	return help
}

const checkHelp = "Layers: a connection is made in steps. The name is looked up (DNS), the connection is opened (TCP), it is encrypted (TLS), and " +
	"the service answers (HTTP, or what it speaks instead). The first step that fails tells whom to ask.\n" +
	"Marks: ok is reached. warn needs attention and keeps nothing from starting. failed has to be reached before an installation. skipped was left out.\n" +
	"Keys: up and down move, tab changes the vantage, enter shows everything about a service. r looks at it again, R at all, w again every 30 " +
	"seconds. z looks from the zone. a shows also what is well, / filters. x leaves a check out, with a reason. c copies a command that shows the " +
	"same. f shows what to ask the network team for, e writes the report and that request into files. q leaves."
