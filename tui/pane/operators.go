package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
)

// Operators shows how far the release is applied, and the cluster operators: those that are not stable first, the
// stable ones as a count.
type Operators struct {
	Theme     Theme
	Version   provisioner.Event
	Operators []provisioner.Event
	Now       time.Time
	Offset    int    // lines scrolled
	Filter    string // only operators that mention this word
	Typing    bool   // the word is being typed
}

// View draws the version, then the operators.
func (p Operators) View(width, height int) string {
	return Fill(window(p.Theme, p.lines(width), p.Offset, height), width, height)
}

// Lines returns how many lines there are to scroll through.
func (p Operators) Lines(width int) int { return len(p.lines(width)) }

func (p Operators) lines(width int) []string {
	if len(p.Operators) == 0 && p.Version.Type == "" {
		return []string{p.Theme.Dim.Render("no operator seen yet")}
	}
	lines := p.version(width)
	if p.Typing || p.Filter != "" {
		lines = append(lines, p.Theme.filter(p.Filter, p.Typing))
	}
	for _, operator := range p.sorted() {
		if p.Filter == "" && operatorStatus(operator) == OK {
			break
		}
		if mentions(p.Filter, operator.Name, operator.State, operator.Reason) {
			lines = append(lines, p.row(operator, width))
		}
	}
	return append(lines, p.stable())
}

// version draws the bar, and what the version's operator says.
func (p Operators) version(width int) []string {
	v := p.Version
	if v.Type == "" {
		return nil
	}
	t, status := p.Theme, versionStatus(v)
	percent := 0
	if v.Percent != nil {
		percent = min(max(*v.Percent, 0), 100)
	}
	if status == OK {
		percent = 100
	}
	line := t.Mark(status) + " " + t.Bold.Render(v.State) + " "
	line += t.bar(percent, min(max(width-28, 6), 40)) + fmt.Sprintf(" %d%%", percent)
	said := Wrap(v.Text, t.Indent(), width)
	if v.Text == "" || status == OK {
		return []string{line}
	}
	return append([]string{line}, said[:min(len(said), 3)]...)
}

// bar draws a share as a bar.
func (t Theme) bar(percent, width int) string {
	full := percent * width / 100
	return t.Good.Render(strings.Repeat(t.full, full)) + t.Dim.Render(strings.Repeat(t.free, width-full))
}

func versionStatus(v provisioner.Event) Status {
	switch v.State {
	case "installed":
		return OK
	case "failing":
		return Warn
	}
	return Running
}

// operatorStatus maps the words for the state of an operator.
func operatorStatus(operator provisioner.Event) Status {
	switch operator.State {
	case "stable":
		return OK
	case "degraded", "flapping":
		return Warn
	case "waiting", "":
		return Waiting
	}
	return Running
}

// sorted returns the operators in trouble first, then those that move, then those that wait, then the stable ones; the
// longest in their state first.
func (p Operators) sorted() []provisioner.Event {
	operators := slices.Clone(p.Operators)
	slices.SortStableFunc(operators, func(a, b provisioner.Event) int {
		return cmp.Or(
			cmp.Compare(operatorStatus(a).urgency(), operatorStatus(b).urgency()), a.Beginning().Compare(b.Beginning()))
	})
	return operators
}

func (p Operators) row(operator provisioner.Event, width int) string {
	t, status := p.Theme, operatorStatus(operator)
	name := Fit(operator.Name, min(26, width/3)) + " "
	text := t.Style(status).Render(Fit(operator.State, 12)) + " "
	age := Short(p.Now.Sub(operator.Beginning()))
	if width < 60 {
		return spread(t.Mark(status)+" "+name+text, t.Dim.Render(age), width)
	}
	return t.Mark(status) + " " + name + text + t.Dim.Render(Fit(age, 7)) + operator.Reason
}

// stable counts the operators that need no attention.
func (p Operators) stable() string {
	stable := p.count()
	status := Running
	if stable == len(p.Operators) {
		status = OK
	}
	return p.Theme.Mark(status) + fmt.Sprintf(" %d of %s stable", stable, Plural(len(p.Operators), "operator"))
}

func (p Operators) count() int {
	stable := 0
	for _, operator := range p.Operators {
		if operatorStatus(operator) == OK {
			stable++
		}
	}
	return stable
}

// Summary returns version and operators in one line.
func (p Operators) Summary() string {
	t := p.Theme
	if len(p.Operators) == 0 && p.Version.Type == "" {
		return t.Dim.Render("none seen yet")
	}
	var parts []string
	if v := p.Version; v.Type != "" {
		share := ""
		if v.Percent != nil && versionStatus(v) != OK {
			share = fmt.Sprintf(" %d%%", *v.Percent)
		}
		parts = append(parts, t.Mark(versionStatus(v))+" "+v.State+share)
	}
	if len(p.Operators) > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d stable", p.count(), len(p.Operators)))
	}
	for _, operator := range p.sorted() {
		if status := operatorStatus(operator); status == Warn {
			parts = append(parts, t.Mark(status)+" "+operator.Name)
		}
	}
	return strings.Join(parts[:min(len(parts), 5)], "  ")
}
