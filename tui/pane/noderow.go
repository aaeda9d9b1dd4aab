package pane

import (
	"fmt"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// tabular is the width from which nodes are a table.
const tabular = 72

// Widths of the columns between the name of a node and the reason why it is not ready.
const (
	machineColumn = 5
	requestColumn = 5
	joinedColumn  = 7
	readyColumn   = 6
	sinceColumn   = 8
)

// nameWidth is how much of a line the name of a node gets.
func nameWidth(width int) int { return min(max(16, width/5), width/3) }

func (p Nodes) heading(width int) string {
	return p.Theme.Indent() + Fit("name", nameWidth(width)+1) + Fit("vm", machineColumn) + Fit("csr", requestColumn) +
		Fit("joined", joinedColumn) + Fit("ready", readyColumn) + Fit("since", sinceColumn) + "reason"
}

// row draws a node in one line.
func (p Nodes) row(node provisioner.NodeView, width int) string {
	if width >= tabular {
		return p.cells(node, width)
	}
	t, status := p.Theme, nodeStatus(node)
	text := node.State
	if status != OK {
		text += because(reasonOf(node), " (", ")")
	}
	right := t.Dim.Render("CSR " + p.requests(node))
	if status == OK && p.granted(node) == 0 {
		right = "" // the bootstrap machine approved it, as it does for masters
	}
	if status != OK {
		age := t.Style(status).Render(p.age(node))
		if right = age + "  " + right; width < 50 {
			right = age
		}
	}
	return spread(t.Mark(status)+" "+Fit(node.Name, nameWidth(width))+" "+t.Style(status).Render(text), right, width)
}

// cells draws a node as a row of the table.
func (p Nodes) cells(node provisioner.NodeView, width int) string {
	t, status := p.Theme, nodeStatus(node)
	joined, ready := Waiting, Waiting
	if status == OK || status == Warn {
		joined, ready = OK, status
	}
	line := t.Mark(status) + " " + Fit(node.Name, nameWidth(width)+1) + Fit(t.Mark(machineStatus(node)), machineColumn) +
		Fit(p.requests(node), requestColumn) + Fit(t.Mark(joined), joinedColumn) + Fit(t.Mark(ready), readyColumn)
	if status == OK {
		return line + t.Dim.Render(p.age(node))
	}
	return line + t.Style(status).Render(Fit(p.age(node), sinceColumn)+reasonOf(node))
}

// machineStatus maps the words that Exoscale has for the state of a machine.
func machineStatus(node provisioner.NodeView) Status {
	switch node.Machine {
	case "running":
		return OK
	case "":
		return Skipped
	case "starting", "migrating", "expunging", "destroying", "stopping":
		return Running
	}
	return Warn
}

// requests counts the certificates that a node has got of the two that it needs.
func (p Nodes) requests(node provisioner.NodeView) string {
	if refused(node) != "" {
		return p.Theme.Mark(Failed)
	}
	return fmt.Sprintf("%d/2", p.granted(node))
}

// refused returns denied or failed if that became of a request for a certificate.
func refused(node provisioner.NodeView) string {
	for _, one := range []string{node.Client, node.Serving} {
		if one == state.RequestDenied || one == state.RequestFailed {
			return one
		}
	}
	return ""
}

func (p Nodes) granted(node provisioner.NodeView) int {
	granted := 0
	for _, one := range []string{node.Client, node.Serving} {
		if one == state.RequestApproved || one == state.RequestIssued {
			granted++
		}
	}
	return min(max(granted, p.Census.approved[node.Name]), 2)
}

// reasonOf says why a node is not ready, as far as that is known.
func reasonOf(node provisioner.NodeView) string {
	switch {
	case node.Reason != "":
		return node.Reason
	case refused(node) != "":
		return "its request for a certificate: " + refused(node)
	case !strings.EqualFold(node.State, "booting"):
		return ""
	case node.Client == state.RequestPending:
		return "its request for a certificate is pending"
	case node.Client != "":
		return "has a certificate, has not registered"
	case node.Machine == "running":
		return "not heard of yet"
	}
	return ""
}
