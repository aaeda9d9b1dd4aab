package tui

import (
	"slices"
	"strings"

	"exoshift/state"

	tea "github.com/charmbracelet/bubbletea"
)

// listUndecided returns the nodes that wait for the operator's approval of one more key.
func (d *dashboard) listUndecided() []string {
	var nodes []string
	for _, request := range d.board.CSRs {
		if request.Decision == state.Undecided && !slices.Contains(nodes, request.Node) {
			nodes = append(nodes, request.Node)
		}
	}
	return nodes
}

func (d *dashboard) requestDecision() {
	d.help = false
	d.decision = &confirmDialog{
		theme: d.theme, title: "Approve one more key?",
		text: strings.Join(d.listUndecided(), ", ") + ": 4 keys or more had a first certificate approved, and no node has registered. " +
			"Look at the machines' consoles first: either their certificates get lost, or somebody else asks in their name.",
		back: "go back", accept: "approve one more key of each",
		onAccept: func() tea.Cmd {
			d.options.ApproveKeys()
			d.notice = "the next look approves one more key of each"
			return nil
		},
	}
}

func (d *dashboard) handleDecisionKey(k tea.KeyMsg) tea.Cmd {
	stays, cmd := d.decision.handleKey(k)
	if !stays {
		d.decision = nil
	}
	return cmd
}
