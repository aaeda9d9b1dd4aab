package cells

import (
	"net/url"
	"strings"
)

// A target is a part of a line that can be clicked. It is marked in the text by two application program commands, which no
// terminal shows; what is drawn in a terminal has none of them.
const (
	targetBegin = "\x1b_"
	targetEnd   = "\x1b\\"
)

// KeyTarget is the prefix of a target that has the effect of a key, whose name follows.
const KeyTarget = "key:"

// MarkTarget marks a line, or a part of one, as a target of that name. Targets may be nested.
func MarkTarget(name, s string) string {
	return targetBegin + url.QueryEscape(name) + targetEnd + s + targetBegin + targetEnd
}

// Targets are the places of the targets on a screen.
type Targets []target

type target struct {
	name           string
	line, from, to int // in cells; to is the first one behind it
}

// At returns the name of the innermost target at a cell, "" if there is none.
func (t Targets) At(column, line int) string {
	name, width := "", 0
	for _, one := range t {
		if one.line == line && one.from <= column && column < one.to && (name == "" || one.to-one.from < width) {
			name, width = one.name, one.to-one.from
		}
	}
	return name
}

// FindTargets returns a screen without the marks of its targets, and their places.
func FindTargets(screen string) (string, Targets) {
	if !strings.Contains(screen, targetBegin) {
		return screen, nil
	}
	var found Targets
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		if strings.Contains(line, targetBegin) {
			lines[i], found = cutTargets(line, i, found)
		}
	}
	return strings.Join(lines, "\n"), found
}

func cutTargets(line string, number int, found Targets) (string, Targets) {
	var kept strings.Builder
	var open []target
	at := 0
	for {
		text, rest, more := strings.Cut(line, targetBegin)
		kept.WriteString(text)
		at += Count(text)
		name, after, whole := strings.Cut(rest, targetEnd)
		if !more || !whole {
			return kept.String(), found
		}
		line = after
		switch {
		case name != "":
			name, _ = url.QueryUnescape(name)
			open = append(open, target{name: name, line: number, from: at})
		case len(open) > 0:
			last := open[len(open)-1]
			open, last.to = open[:len(open)-1], at
			found = append(found, last)
		}
	}
}

// parseTarget returns the length of the mark at the beginning of s, or 0.
func parseTarget(s string) int {
	if !strings.HasPrefix(s, targetBegin) {
		return 0
	}
	if end := strings.Index(s, targetEnd); end > 0 {
		return end + len(targetEnd)
	}
	return 0
}
