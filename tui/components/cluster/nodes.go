// Package cluster draws the state of a cluster: its bootstrap, etcd, nodes, operators, and the applications of Project Syn.
package cluster

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
)

// Nodes lists the nodes, those that need attention first, with the states of their machines and certificates.
type Nodes struct {
	Theme   theme.Theme
	Summary NodeSummary
	Now     time.Time
	Offset  int    // lines scrolled
	Filter  string // only nodes that mention this word
	Typing  bool   // the filter is being edited
	// Installed: the nodes had their certificates before the run. That there are no requests is not said.
	Installed bool
}

// maxFullList is the number of nodes up to which all are listed; of more, those without problems are only counted.
const maxFullList = 30

// View draws a summary, the requests that were not approved, and the nodes that fit.
func (p Nodes) View(width, height int) string {
	above, found := p.renderHeader(width), p.Summary.filter(p.Filter)
	n := len(above) + len(found.nodes) + len(found.missing)
	line := func(i int) string {
		if i < len(above) {
			return above[i]
		}
		return p.renderLine(found, i-len(above), width)
	}
	if p.Offset > 0 || n <= height || p.Filter != "" {
		return cells.Fill(components.ScrollFunc(p.Theme, n, line, p.Offset, height), width, height)
	}
	shown := max(height-1, len(above))
	if n-len(above) > maxFullList {
		shown = min(shown, len(above)+found.open)
	}
	var lines []string
	for i := range shown {
		lines = append(lines, line(i))
	}
	return cells.Fill(append(lines, p.renderMore(found, shown-len(above))), width, height)
}

// i counts the nodes, and then the missing ones.
func (p Nodes) renderLine(found NodeSummary, i, width int) string {
	if i < len(found.nodes) {
		return p.renderRow(found.nodes[i], width)
	}
	name := cells.Fit(found.missing[i-len(found.nodes)], nameWidth(width))
	return p.Theme.Mark(theme.Waiting) + " " + p.Theme.Dim.Render(name+" not seen yet")
}

func (p Nodes) renderMore(found NodeSummary, shown int) string {
	t, open, seen := p.Theme, found.open, len(found.nodes)
	var parts []string
	if more := open - shown; more > 0 {
		parts = append(parts, t.Mark(theme.Running)+fmt.Sprintf(" %d more not ready", more))
	}
	if ready := seen - max(shown, open); ready > 0 {
		parts = append(parts, t.Mark(theme.OK)+fmt.Sprintf(" %d ready", ready))
		if shown > open {
			parts[len(parts)-1] = t.Mark(theme.OK) + fmt.Sprintf(" %d more ready", ready)
		}
	}
	if missing := len(found.missing) - max(shown-seen, 0); missing > 0 {
		parts = append(parts, t.Mark(theme.Waiting)+fmt.Sprintf(" %d not seen yet", missing))
	}
	return strings.Join(parts, "  ")
}

// CountLines returns the number of lines of the whole list.
func (p Nodes) CountLines(width int) int {
	found := p.Summary.filter(p.Filter)
	return len(p.renderHeader(width)) + len(found.nodes) + len(found.missing)
}

func (p Nodes) renderHeader(width int) []string {
	lines := []string{p.Theme.Join(p.RenderReady(), p.RenderRequests())}
	lines = append(lines, cells.WrapParts(p.RenderRoles(), "  ", width)...)
	lines = append(lines, p.renderUndecided()...)
	if p.Typing || p.Filter != "" {
		lines = append(lines, p.Theme.RenderFilter(p.Filter, p.Typing))
	}
	if width >= nodeTableWidth {
		lines = append(lines, p.Theme.Dim.Render(p.renderHeading(width)))
	}
	return lines
}

// RenderReady returns how many nodes are ready, e.g. "9/13 ready".
func (p Nodes) RenderReady() string {
	ready, total := p.Summary.ready, p.Summary.countTotal()
	text := fmt.Sprintf("%d/%d ready", ready, total)
	if ready == total && total > 0 {
		return p.Theme.Good.Render(text)
	}
	return text
}

// RenderRequests counts the certificate signing requests.
func (p Nodes) RenderRequests() string {
	if p.Installed && p.Summary.granted == 0 && !p.HasUndecided() {
		return ""
	}
	text := fmt.Sprintf("CSR %d approved", p.Summary.granted)
	if left := len(p.Summary.undecided); left > 0 {
		text += p.Theme.Caution.Render(fmt.Sprintf(" ! %d for you", left))
	}
	return text
}

// HasUndecided reports whether a request needs the approval of the operator.
func (p Nodes) HasUndecided() bool { return len(p.Summary.undecided) > 0 }

// renderUndecided lists the requests that were not approved automatically: the operator decides about them.
func (p Nodes) renderUndecided() []string {
	var lines []string
	for _, csr := range p.Summary.undecided {
		text := fmt.Sprintf("CSR %s of %s %s: %s", csr.Name, cmp.Or(csr.Node, "an unknown node"), csr.Decision, csr.Reason)
		if len(lines) == 3 {
			return append(lines[:2], p.Theme.Mark(theme.Warn)+" "+p.Theme.Caution.Render("more CSRs pending, see the log"))
		}
		lines = append(lines, p.Theme.Mark(theme.Warn)+" "+p.Theme.Caution.Render(text))
	}
	return lines
}

// RenderRoles counts the ready nodes of each role.
func (p Nodes) RenderRoles() []string {
	var parts []string
	for _, c := range p.Summary.roles {
		total, status := max(c.expected, c.seen), theme.Running
		switch {
		case c.ready == total:
			status = theme.OK
		case c.seen == 0:
			status = theme.Waiting
		}
		parts = append(parts, fmt.Sprintf("%s %s %d/%d", p.Theme.Mark(status), cmp.Or(c.role, "node"), c.ready, total))
	}
	return parts
}

// RenderUnhealthy returns the nodes that need attention, at most n, each in a few words.
func (p Nodes) RenderUnhealthy(n int) []string {
	var found []string
	for _, node := range p.Summary.nodes {
		status := MapNodeStatus(node)
		if status != theme.Failed && status != theme.Warn || len(found) == n {
			break
		}
		found = append(found, p.Theme.Mark(status)+" "+p.Theme.Style(status).Render(p.formatNode(node)+" "+p.formatAge(node)))
	}
	return found
}

func (p Nodes) formatNode(node provisioner.NodeView) string {
	return node.Name + " " + node.State + text.WithAffixes(node.Reason, " (", ")")
}

func (p Nodes) formatAge(node provisioner.NodeView) string {
	return text.FormatDuration(p.Now.Sub(node.At))
}
