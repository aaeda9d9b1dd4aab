package tui

import (
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/tui/pane"

	"github.com/charmbracelet/x/ansi"
)

// clean makes every string of an event harmless for the terminal: names, messages and errors come from far away.
func clean(e provisioner.Event, ascii bool) provisioner.Event {
	for _, s := range []*string{
		(*string)(&e.Type), &e.Phase, &e.Step, &e.State, &e.Text, &e.Result, &e.What, &e.Last,
		&e.Name, &e.Role, &e.Node, &e.Decision, &e.Reason, &e.Kind, &e.ID, &e.Action,
		&e.Machine, &e.Client, &e.Serving, &e.Confidence, &e.Sync,
	} {
		*s = cleanText(*s, ascii)
	}
	e.Hint = cleanLines(e.Hint, ascii)
	e.Evidence = slices.Clone(e.Evidence)
	for i, evidence := range e.Evidence {
		e.Evidence[i] = cleanText(evidence, ascii)
	}
	e.Members = slices.Clone(e.Members)
	for i, member := range e.Members {
		member.Name, member.State = cleanText(member.Name, ascii), cleanText(member.State, ascii)
		e.Members[i] = member
	}
	return e
}

func cleanPlan(plan provisioner.Plan, ascii bool) provisioner.Plan {
	cleaned := slices.Clone(plan)
	for i, step := range plan {
		step.ID, step.Title, step.Phase = cleanText(step.ID, ascii), cleanText(step.Title, ascii), cleanText(step.Phase, ascii)
		cleaned[i] = step
	}
	return cleaned
}

// cleanLines keeps the lines of an advice apart: some are there to be copied.
func cleanLines(s string, ascii bool) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = cleanText(line, ascii); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func cleanText(s string, ascii bool) string {
	if s = pane.Clean(s); ascii {
		return toASCII(s)
	}
	return s
}

// toASCII replaces what an ASCII terminal cannot show, cell by cell, so that no line changes its length.
func toASCII(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80:
			return r
		case ansi.StringWidth(string(r)) == 0:
			return -1
		}
		return twin(r)
	}, s)
}

// twin returns the ASCII character that stands for one of ours.
func twin(r rune) rune {
	switch r {
	case '…':
		return '~'
	case '·', '–', '─':
		return '-'
	case '×':
		return 'x'
	case '→', '›', '▸':
		return '>'
	case '↑':
		return '^'
	case '↓', '▾':
		return 'v'
	case '•':
		return '*'
	case '│':
		return '|'
	case '▓':
		return '#'
	case '░':
		return '.'
	}
	return '?'
}
