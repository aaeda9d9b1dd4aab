package pane

import (
	"fmt"
	"strings"

	"exoshift/provisioner"
	"exoshift/state"
)

// nodeTableWidth is the width from which nodes are a table.
const nodeTableWidth = 72

const (
	machineColumn = 5
	requestColumn = 5
	joinedColumn  = 7
	readyColumn   = 6
	sinceColumn   = 8
)

func nameWidth(width int) int { return min(max(16, width/5), width/3) }

func (p Nodes) renderHeading(width int) string {
	return p.Theme.Indent() + Fit("name", nameWidth(width)+1) + Fit("vm", machineColumn) + Fit("csr", requestColumn) +
		Fit("joined", joinedColumn) + Fit("ready", readyColumn) + Fit("since", sinceColumn) + "reason"
}

func (p Nodes) renderRow(node provisioner.NodeView, width int) string {
	if width >= nodeTableWidth {
		return p.renderTableRow(node, width)
	}
	t, status := p.Theme, mapNodeStatus(node)
	text := node.State
	if status != OK {
		text += withAffixes(describeReason(node), " (", ")")
	}
	right := t.Dim.Render("CSR " + p.formatRequests(node))
	if status == OK && p.countApproved(node) == 0 {
		right = "" // the bootstrap machine approved it, as it does for masters
	}
	if status != OK {
		age := t.Style(status).Render(p.formatAge(node))
		if right = age + "  " + right; width < 50 {
			right = age
		}
	}
	return joinEnds(t.Mark(status)+" "+Fit(node.Name, nameWidth(width))+" "+t.Style(status).Render(text), right, width)
}

func (p Nodes) renderTableRow(node provisioner.NodeView, width int) string {
	t, status := p.Theme, mapNodeStatus(node)
	joined, ready := Waiting, Waiting
	if status == OK || status == Warn {
		joined, ready = OK, status
	}
	line := t.Mark(status) + " " + Fit(node.Name, nameWidth(width)+1) + Fit(t.Mark(mapMachineStatus(node)), machineColumn) +
		Fit(p.formatRequests(node), requestColumn) + Fit(t.Mark(joined), joinedColumn) + Fit(t.Mark(ready), readyColumn)
	if status == OK {
		return line + t.Dim.Render(p.formatAge(node))
	}
	return line + t.Style(status).Render(Fit(p.formatAge(node), sinceColumn)+describeReason(node))
}

// mapMachineStatus maps the instance states of the Exoscale API.
func mapMachineStatus(node provisioner.NodeView) Status {
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

// A node needs two certificates.
func (p Nodes) formatRequests(node provisioner.NodeView) string {
	if findDeniedState(node) != "" {
		return p.Theme.Mark(Failed)
	}
	return fmt.Sprintf("%d/2", p.countApproved(node))
}

// findDeniedState returns denied or failed if a certificate request of the node ended so.
func findDeniedState(node provisioner.NodeView) string {
	for _, one := range []string{node.Client, node.Serving} {
		if one == state.RequestDenied || one == state.RequestFailed {
			return one
		}
	}
	return ""
}

func (p Nodes) countApproved(node provisioner.NodeView) int {
	granted := 0
	for _, one := range []string{node.Client, node.Serving} {
		if one == state.RequestApproved || one == state.RequestIssued {
			granted++
		}
	}
	return min(max(granted, p.Summary.approved[node.Name]), 2)
}

func describeReason(node provisioner.NodeView) string {
	switch {
	case node.Reason != "":
		return node.Reason
	case findDeniedState(node) != "":
		return "its request for a certificate: " + findDeniedState(node)
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
