package pane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/state"

	"github.com/charmbracelet/x/ansi"
)

// Nodes lists the nodes, those that need attention first, with the certificate signing requests decided for each.
type Nodes struct {
	Theme    Theme
	Nodes    []provisioner.NodeView
	CSRs     []provisioner.CSRView
	Expected []state.Machine // every machine that is to become a node; may be empty
	Now      time.Time
	Offset   int // lines scrolled
}

// View draws a summary, the requests that were left alone, and the nodes that find room.
func (p Nodes) View(width, height int) string {
	above := p.above(width)
	nodes, missing, approved := p.sorted(), p.missing(), p.approvals()
	line := func(i int) string {
		switch j := i - len(above); {
		case j < 0:
			return above[i]
		case j < len(nodes):
			return p.row(nodes[j], approved[nodes[j].Name], width)
		default:
			name := Fit(missing[j-len(nodes)], nameWidth(width))
			return p.Theme.Mark(Waiting) + " " + p.Theme.Dim.Render(name+" not seen yet")
		}
	}
	n := len(above) + len(nodes) + len(missing)
	return Fill(windowOf(p.Theme, n, line, p.Offset, height), width, height)
}

// Lines returns how many lines there are to scroll through.
func (p Nodes) Lines(width int) int { return len(p.above(width)) + len(p.Nodes) + len(p.missing()) }

// above is what stands above the nodes: counts, and what needs a decision.
func (p Nodes) above(width int) []string {
	lines := []string{p.Theme.join(p.Ready(), p.Requests())}
	lines = append(lines, flow(p.Roles(), "  ", width)...)
	return append(lines, p.left()...)
}

// missing names the expected nodes that nobody has seen yet.
func (p Nodes) missing() []string {
	seen := map[string]bool{}
	for _, node := range p.Nodes {
		seen[node.Name] = true
	}
	var names []string
	for _, machine := range p.Expected {
		if !seen[machine.Name] {
			names = append(names, machine.Name)
		}
	}
	return names
}

// Ready returns how many nodes are ready, e.g. "9/13 ready".
func (p Nodes) Ready() string {
	ready := 0
	for _, node := range p.Nodes {
		if nodeStatus(node) == OK {
			ready++
		}
	}
	total := max(len(p.Expected), len(p.Nodes))
	text := fmt.Sprintf("%d/%d ready", ready, total)
	if ready == total && total > 0 {
		return p.Theme.Good.Render(text)
	}
	return text
}

// Requests counts the certificate signing requests.
func (p Nodes) Requests() string {
	approved, left := 0, 0
	for _, csr := range p.CSRs {
		if csr.Decision == state.Approved {
			approved++
		} else {
			left++
		}
	}
	text := fmt.Sprintf("CSR %d approved", approved)
	if left > 0 {
		text += p.Theme.Caution.Render(fmt.Sprintf(" ! %d left for you", left))
	}
	return text
}

// left names the requests that were not approved: a human decides about them.
func (p Nodes) left() []string {
	var lines []string
	for _, csr := range p.CSRs {
		if csr.Decision == state.Approved {
			continue
		}
		text := fmt.Sprintf("CSR %s of %s left: %s", csr.Name, cmp.Or(csr.Node, "nobody"), csr.Reason)
		if len(lines) == 3 {
			return append(lines[:2], p.Theme.Mark(Warn)+" "+p.Theme.Caution.Render("more CSRs were left, see the log"))
		}
		lines = append(lines, p.Theme.Mark(Warn)+" "+p.Theme.Caution.Render(text))
	}
	return lines
}

// Roles counts the nodes of each role that are ready.
func (p Nodes) Roles() []string {
	var order []string
	ready, expected, seen := map[string]int{}, map[string]int{}, map[string]int{}
	note := func(role string, count map[string]int) {
		if expected[role]+seen[role] == 0 {
			order = append(order, role)
		}
		count[role]++
	}
	for _, machine := range p.Expected {
		note(string(machine.Role), expected)
	}
	for _, node := range p.Nodes {
		role := p.role(node)
		if note(role, seen); nodeStatus(node) == OK {
			ready[role]++
		}
	}
	var parts []string
	for _, role := range order {
		parts = append(parts, p.count(cmp.Or(role, "node"), ready[role], seen[role], max(expected[role], seen[role])))
	}
	return parts
}

func (p Nodes) count(role string, ready, seen, total int) string {
	status := Running
	switch {
	case ready == total:
		status = OK
	case seen == 0:
		status = Waiting
	}
	return fmt.Sprintf("%s %s %d/%d", p.Theme.Mark(status), role, ready, total)
}

// role returns the role of a node, from the plan if the node does not tell.
func (p Nodes) role(node provisioner.NodeView) string {
	if node.Role != "" {
		return node.Role
	}
	for _, machine := range p.Expected {
		if machine.Name == node.Name {
			return string(machine.Role)
		}
	}
	return ""
}

// flow puts parts into lines of at most width cells.
func flow(parts []string, gap string, width int) []string {
	var lines []string
	for _, part := range parts {
		last := len(lines) - 1
		if last < 0 || ansi.StringWidth(lines[last])+len(gap)+ansi.StringWidth(part) > width {
			lines = append(lines, part)
			continue
		}
		lines[last] += gap + part
	}
	return lines
}

// nodeStatus maps the words of a node's state; a state that it does not know is something on its way.
func nodeStatus(node provisioner.NodeView) Status {
	switch strings.ToLower(node.State) {
	case "ready":
		return OK
	case "notready", "not ready", "not-ready", "unknown":
		return Warn
	case "failed", "missing", "gone", "lost":
		return Failed
	case "waiting", "":
		return Waiting
	}
	return Running
}

// sorted returns failed nodes first, then those that are not ready, then those on their way, then the rest.
func (p Nodes) sorted() []provisioner.NodeView {
	nodes := slices.Clone(p.Nodes)
	slices.SortStableFunc(nodes, func(a, b provisioner.NodeView) int {
		return cmp.Compare(nodeStatus(a).urgency(), nodeStatus(b).urgency())
	})
	return nodes
}

func (p Nodes) approvals() map[string]int {
	count := map[string]int{}
	for _, csr := range p.CSRs {
		if csr.Decision == state.Approved {
			count[csr.Node]++
		}
	}
	return count
}

func (p Nodes) row(node provisioner.NodeView, approved, width int) string {
	t, status := p.Theme, nodeStatus(node)
	text := node.State
	if node.Reason != "" && status != OK {
		text += " (" + node.Reason + ")"
	}
	right := t.Dim.Render(fmt.Sprintf("CSR %d/2", approved))
	if status == OK && approved == 0 {
		right = "" // the bootstrap machine approved it, as it does for masters
	}
	if status != OK {
		age := t.Style(status).Render(Short(p.Now.Sub(node.At)))
		if right = age + "  " + right; width < 50 {
			right = age
		}
	}
	return spread(t.Mark(status)+" "+Fit(node.Name, nameWidth(width))+" "+t.Style(status).Render(text), right, width)
}

// nameWidth is how much of a line the name of a node gets.
func nameWidth(width int) int { return min(16, width/3) }

// Troubled returns the nodes that need attention, at most n, each in a few words.
func (p Nodes) Troubled(n int) []string {
	var found []string
	for _, node := range p.sorted() {
		status := nodeStatus(node)
		if status != Failed && status != Warn {
			break
		}
		if len(found) == n {
			return found
		}
		text := node.Name + " " + node.State
		if node.Reason != "" {
			text += " (" + node.Reason + ")"
		}
		found = append(found, p.Theme.Mark(status)+" "+p.Theme.Style(status).Render(text+" "+Short(p.Now.Sub(node.At))))
	}
	return found
}
