package pane

import (
	"fmt"
	"strings"
	"time"

	"exoshift/provisioner"
)

// Diagnosis says what is wrong: the surest finding with its evidence and what to do, and then the others. It takes no
// room where nothing was found.
type Diagnosis struct {
	Theme    Theme
	Findings []provisioner.Event
	Now      time.Time
	Offset   int // lines scrolled
}

// View draws everything that is known.
func (p Diagnosis) View(width, height int) string {
	return Fill(window(p.Theme, p.lines(width), p.Offset, height), width, height)
}

// Lines returns how many lines there are to scroll through.
func (p Diagnosis) Lines(width int) int { return len(p.lines(width)) }

func (p Diagnosis) lines(width int) []string {
	if len(p.Findings) == 0 {
		return []string{p.Theme.Mark(OK) + " nothing is known to be wrong", p.Theme.Dim.Render("  every look at the cluster is examined; what is found shows up here")}
	}
	return p.found(width)
}

// found explains each finding, the surest first; nothing if there is none.
func (p Diagnosis) found(width int) []string {
	var lines []string
	for i, finding := range provisioner.Surest(p.Findings) {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, p.finding(finding, i > 0, width)...)
	}
	return lines
}

// short explains the surest finding and names the others.
func (p Diagnosis) short(width int) []string {
	var lines []string
	for i, finding := range provisioner.Surest(p.Findings) {
		if i == 0 {
			lines = append(p.finding(finding, false, width), "")
			continue
		}
		lines = append(lines, wrapAfter(p.head(finding, true)+" ", p.Theme.Plain, finding.Text, p.Theme.Indent(), width)...)
	}
	return lines
}

func (p Diagnosis) finding(f provisioner.Event, also bool, width int) []string {
	t := p.Theme
	lines := wrapAfter(p.head(f, also)+" ", t.Bold, f.Text, t.Indent(), width)
	lines = append(lines, "  "+t.Dim.Render("for "+Short(p.Now.Sub(f.Beginning()))+", rule "+f.Name))
	if len(f.Evidence) > 0 {
		lines = append(lines, " "+t.Label.Render("Why I think so"))
	}
	for _, evidence := range f.Evidence {
		lines = append(lines, Wrap(evidence, "   ", width)...)
	}
	if f.Hint != "" {
		lines = append(lines, " "+t.Label.Render("Do this"))
		lines = append(lines, Wrap(f.Hint, "   ", width)...)
	}
	return lines
}

// head says how sure a finding is.
func (p Diagnosis) head(f provisioner.Event, also bool) string {
	word, style := "MOST LIKELY", p.Theme.Style(confidence(f))
	switch {
	case also && confidence(f) == Failed:
		word = "ALSO LIKELY"
	case also, confidence(f) == Running:
		word = "POSSIBLE"
	}
	return p.Theme.Mark(confidence(f)) + " " + style.Bold(true).Render(word+because(f.Confidence, " (", ")"))
}

// confidence maps the words for how sure a finding is.
func confidence(f provisioner.Event) Status {
	switch f.Confidence {
	case "high":
		return Failed
	case "medium":
		return Warn
	}
	return Running
}

// Summary returns the surest finding in one line, or "".
func (p Diagnosis) Summary() string {
	if len(p.Findings) == 0 {
		return ""
	}
	surest := provisioner.Surest(p.Findings)[0]
	return p.head(surest, false) + "  " + surest.Text + p.others()
}

func (p Diagnosis) others() string {
	if n := len(p.Findings) - 1; n > 0 {
		return p.Theme.Dim.Render(fmt.Sprintf("  and %d more", n))
	}
	return ""
}

// Notice is the surest finding in a few lines below a rule.
type Notice struct{ Diagnosis }

// noticeEvidence is how many sentences of evidence a notice holds.
const noticeEvidence = 3

// Height returns how many lines the whole notice has; 0 if there is nothing to say.
func (p Notice) Height(width int) int { return len(p.lines(width, 100)) }

// View draws as much as there is room for: the cause, then what to do, then the evidence.
func (p Notice) View(width, height int) string { return Fill(p.lines(width, height), width, height) }

func (p Notice) lines(width, height int) []string {
	if len(p.Findings) == 0 {
		return nil
	}
	t, surest := p.Theme, provisioner.Surest(p.Findings)[0]
	lines := []string{t.Rule(width)}
	lines = append(lines, p.cause(surest, width, height)...)
	advice := p.advice(surest)
	room := height - len(lines) - len(advice)
	for _, evidence := range surest.Evidence[:max(0, min(len(surest.Evidence), noticeEvidence, room))] {
		lines = append(lines, " "+t.Indent()+t.Dim.Render(evidence))
	}
	return append(lines, advice...)
}

func (p Notice) cause(f provisioner.Event, width, height int) []string {
	lines := wrapAfter(" "+p.head(f, false)+" ", p.Theme.Bold, f.Text, " "+p.Theme.Indent(), width)
	age := p.Theme.Dim.Render("  for " + Short(p.Now.Sub(f.Beginning())))
	if height >= 5 {
		lines[len(lines)-1] += age
		return lines
	}
	return lines[:1]
}

// advice is the first line of what to do.
func (p Notice) advice(f provisioner.Event) []string {
	first, _, more := strings.Cut(f.Hint, "\n")
	if first == "" {
		return nil
	}
	line := " " + p.Theme.Indent() + p.Theme.Good.Render(p.Theme.Arrow) + " " + first
	if more || len(p.Findings) > 1 || len(f.Evidence) > noticeEvidence {
		line = " " + p.Theme.Indent() + p.Theme.Dim.Render("d tells more ") + p.Theme.Good.Render(p.Theme.Arrow) + " " + first
	}
	return []string{line}
}
