package cluster

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/theme"
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
	return p.Theme.Indent() + cells.Fit("name", nameWidth(width)+1) + cells.Fit("vm", machineColumn) + cells.Fit("csr", requestColumn) +
		cells.Fit("joined", joinedColumn) + cells.Fit("ready", readyColumn) + cells.Fit("since", sinceColumn) + "reason"
}

func (p Nodes) renderRow(node provisioner.NodeView, width int) string {
	if width >= nodeTableWidth {
		return p.renderTableRow(node, width)
	}
	t, status := p.Theme, MapNodeStatus(node)
	label := node.State
	if status != theme.OK {
		label += text.WithAffixes(describeReason(node), " (", ")")
	}
	right := t.Dim.Render("CSR " + p.formatRequests(node))
	if status == theme.OK && p.countApproved(node) == 0 {
		right = "" // the bootstrap machine approved it, as it does for masters
	}
	if status != theme.OK {
		age := t.Style(status).Render(p.formatAge(node))
		if right = age + "  " + right; width < 50 {
			right = age
		}
	}
	return cells.JoinEnds(t.Mark(status)+" "+cells.Fit(node.Name, nameWidth(width))+" "+t.Style(status).Render(label), right, width)
}

func (p Nodes) renderTableRow(node provisioner.NodeView, width int) string {
	t, status := p.Theme, MapNodeStatus(node)
	joined, ready := theme.Waiting, theme.Waiting
	if status == theme.OK || status == theme.Warn {
		joined, ready = theme.OK, status
	}
	line := t.Mark(status) + " " + cells.Fit(node.Name, nameWidth(width)+1) + cells.Fit(t.Mark(mapMachineStatus(node)), machineColumn) +
		cells.Fit(p.formatRequests(node), requestColumn) + cells.Fit(t.Mark(joined), joinedColumn) + cells.Fit(t.Mark(ready), readyColumn)
	if status == theme.OK {
		return line + t.Dim.Render(p.formatAge(node))
	}
	return line + t.Style(status).Render(cells.Fit(p.formatAge(node), sinceColumn)+describeReason(node))
}

// mapMachineStatus maps the instance states of the Exoscale API.
func mapMachineStatus(node provisioner.NodeView) theme.Status {
	switch node.Machine {
	case "running":
		return theme.OK
	case "":
		return theme.Skipped
	case "starting", "migrating", "expunging", "destroying", "stopping":
		return theme.Running
	}
	return theme.Warn
}

// A node needs two certificates. One that is ready without a request in this run has got them otherwise: masters from the bootstrap machine.
func (p Nodes) formatRequests(node provisioner.NodeView) string {
	switch {
	case findDeniedState(node) != "":
		return p.Theme.Mark(theme.Failed)
	case MapNodeStatus(node) == theme.OK && p.countApproved(node) == 0:
		return p.Theme.Mark(theme.Skipped)
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
		return "certificate request: " + findDeniedState(node)
	case !strings.EqualFold(node.State, "booting"):
		return ""
	case node.Client == state.RequestPending:
		return "certificate request pending"
	case node.Client != "":
		return "certificate issued, not registered"
	case node.Machine == "running":
		return "no contact yet"
	}
	return ""
}
