package pane

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"exoshift/provisioner"
)

// Nodes lists the nodes, those that need attention first, with the states of their machines and certificates.
type Nodes struct {
	Theme  Theme
	Census Census
	Now    time.Time
	Offset int    // lines scrolled
	Filter string // only nodes that mention this word
	Typing bool   // the word is being typed
}

// few is how many nodes are always listed, whatever they are like; of more, those that are well are counted.
const few = 30

// View draws a summary, the requests that were left alone, and the nodes that find room.
func (p Nodes) View(width, height int) string {
	above, found := p.above(width), p.Census.matching(p.Filter)
	n := len(above) + len(found.nodes) + len(found.missing)
	line := func(i int) string {
		if i < len(above) {
			return above[i]
		}
		return p.line(found, i-len(above), width)
	}
	if p.Offset > 0 || n <= height || p.Filter != "" {
		return Fill(windowOf(p.Theme, n, line, p.Offset, height), width, height)
	}
	shown := max(height-1, len(above))
	if n-len(above) > few {
		shown = min(shown, len(above)+found.open)
	}
	var lines []string
	for i := range shown {
		lines = append(lines, line(i))
	}
	return Fill(append(lines, p.rest(found, shown-len(above))), width, height)
}

// line draws a node, or a missing one.
func (p Nodes) line(found Census, i, width int) string {
	if i < len(found.nodes) {
		return p.row(found.nodes[i], width)
	}
	name := Fit(found.missing[i-len(found.nodes)], nameWidth(width))
	return p.Theme.Mark(Waiting) + " " + p.Theme.Dim.Render(name+" not seen yet")
}

// rest counts the nodes that are not listed.
func (p Nodes) rest(found Census, shown int) string {
	t, open, seen := p.Theme, found.open, len(found.nodes)
	var parts []string
	if more := open - shown; more > 0 {
		parts = append(parts, t.Mark(Running)+fmt.Sprintf(" %d more not ready", more))
	}
	if ready := seen - max(shown, open); ready > 0 {
		parts = append(parts, t.Mark(OK)+fmt.Sprintf(" %d ready", ready))
		if shown > open {
			parts[len(parts)-1] = t.Mark(OK) + fmt.Sprintf(" %d more ready", ready)
		}
	}
	if missing := len(found.missing) - max(shown-seen, 0); missing > 0 {
		parts = append(parts, t.Mark(Waiting)+fmt.Sprintf(" %d not seen yet", missing))
	}
	return strings.Join(parts, "  ")
}

// Lines returns how many lines there are to scroll through.
func (p Nodes) Lines(width int) int {
	found := p.Census.matching(p.Filter)
	return len(p.above(width)) + len(found.nodes) + len(found.missing)
}

// above is what stands above the nodes: counts, and what needs a decision.
func (p Nodes) above(width int) []string {
	lines := []string{p.Theme.join(p.Ready(), p.Requests())}
	lines = append(lines, flow(p.Roles(), "  ", width)...)
	lines = append(lines, p.left()...)
	if p.Typing || p.Filter != "" {
		lines = append(lines, p.Theme.filter(p.Filter, p.Typing))
	}
	if width >= tabular {
		lines = append(lines, p.Theme.Dim.Render(p.heading(width)))
	}
	return lines
}

// filter shows the word that a list is filtered by.
func (t Theme) filter(word string, typing bool) string {
	cursor := ""
	if typing {
		cursor = t.Selected.Render(" ")
	}
	return t.Label.Render("/") + word + cursor
}

// Ready returns how many nodes are ready, e.g. "9/13 ready".
func (p Nodes) Ready() string {
	ready, total := p.Census.ready, p.Census.total()
	text := fmt.Sprintf("%d/%d ready", ready, total)
	if ready == total && total > 0 {
		return p.Theme.Good.Render(text)
	}
	return text
}

// Requests counts the certificate signing requests.
func (p Nodes) Requests() string {
	text := fmt.Sprintf("CSR %d approved", p.Census.granted)
	if left := len(p.Census.left); left > 0 {
		text += p.Theme.Caution.Render(fmt.Sprintf(" ! %d left for you", left))
	}
	return text
}

// Undecided tells whether a human has to decide about a request.
func (p Nodes) Undecided() bool { return len(p.Census.left) > 0 }

// left names the requests that were not approved: a human decides about them.
func (p Nodes) left() []string {
	var lines []string
	for _, csr := range p.Census.left {
		text := fmt.Sprintf("CSR %s of %s %s: %s", csr.Name, cmp.Or(csr.Node, "nobody"), csr.Decision, csr.Reason)
		if len(lines) == 3 {
			return append(lines[:2], p.Theme.Mark(Warn)+" "+p.Theme.Caution.Render("more CSRs were left, see the log"))
		}
		lines = append(lines, p.Theme.Mark(Warn)+" "+p.Theme.Caution.Render(text))
	}
	return lines
}

// Roles counts the nodes of each role that are ready.
func (p Nodes) Roles() []string {
	var parts []string
	for _, c := range p.Census.roles {
		total, status := max(c.expected, c.seen), Running
		switch {
		case c.ready == total:
			status = OK
		case c.seen == 0:
			status = Waiting
		}
		parts = append(parts, fmt.Sprintf("%s %s %d/%d", p.Theme.Mark(status), cmp.Or(c.role, "node"), c.ready, total))
	}
	return parts
}

// flow puts parts into lines of at most width cells.
func flow(parts []string, gap string, width int) []string {
	var lines []string
	for _, part := range parts {
		last := len(lines) - 1
		if last < 0 || cells(lines[last])+len(gap)+cells(part) > width {
			lines = append(lines, part)
			continue
		}
		lines[last] += gap + part
	}
	return lines
}

// Troubled returns the nodes that need attention, at most n, each in a few words.
func (p Nodes) Troubled(n int) []string {
	var found []string
	for _, node := range p.Census.nodes {
		status := nodeStatus(node)
		if status != Failed && status != Warn || len(found) == n {
			break
		}
		found = append(found, p.Theme.Mark(status)+" "+p.Theme.Style(status).Render(p.told(node)+" "+p.age(node)))
	}
	return found
}

func (p Nodes) told(node provisioner.NodeView) string {
	return node.Name + " " + node.State + because(node.Reason, " (", ")")
}

func (p Nodes) age(node provisioner.NodeView) string { return Short(p.Now.Sub(node.At)) }
