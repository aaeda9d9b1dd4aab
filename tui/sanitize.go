package tui

import (
	"slices"
	"strings"

	"exoshift/provisioner"
	"exoshift/tui/cells"
	"github.com/charmbracelet/x/ansi"
)

// sanitizeEvent sanitizes every string of an event: names, messages and errors are from remote systems.
func sanitizeEvent(e provisioner.Event, ascii bool) provisioner.Event {
	for _, s := range []*string{
		(*string)(&e.Type), &e.Phase, &e.Step, &e.State, &e.Text, &e.Result, &e.What, &e.Last,
		&e.Name, &e.Role, &e.Node, &e.Decision, &e.Reason, &e.Kind, &e.ID, &e.Action,
		&e.Machine, &e.Client, &e.Serving, &e.Confidence, &e.Sync,
	} {
		*s = sanitizeText(*s, ascii)
	}
	e.Hint = sanitizeLines(e.Hint, ascii)
	e.Evidence = slices.Clone(e.Evidence)
	for i, evidence := range e.Evidence {
		e.Evidence[i] = sanitizeText(evidence, ascii)
	}
	e.Members = slices.Clone(e.Members)
	for i, member := range e.Members {
		member.Name, member.State = sanitizeText(member.Name, ascii), sanitizeText(member.State, ascii)
		e.Members[i] = member
	}
	return e
}

func sanitizePlan(plan provisioner.Plan, ascii bool) provisioner.Plan {
	cleaned := slices.Clone(plan)
	for i, step := range plan {
		step.ID, step.Title, step.Phase = sanitizeText(step.ID, ascii), sanitizeText(step.Title, ascii), sanitizeText(step.Phase, ascii)
		cleaned[i] = step
	}
	return cleaned
}

// sanitizeLines keeps the lines of a hint apart: some are commands to be copied.
func sanitizeLines(s string, ascii bool) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = sanitizeText(line, ascii); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func sanitizeText(s string, ascii bool) string {
	if s = cells.Sanitize(s); ascii {
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
		return toASCIIRune(r)
	}, s)
}

func toASCIIRune(r rune) rune {
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
