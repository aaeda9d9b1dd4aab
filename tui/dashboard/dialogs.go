package dashboard

import (
	"strings"
	"time"

	"exoshift/provisioner"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// handleDialogKey passes a key to an open dialog and closes it once it is answered.
func handleDialogKey(dialog **components.Dialog, k tea.KeyMsg) tea.Cmd {
	stays, cmd := (*dialog).HandleKey(k)
	if !stays {
		*dialog = nil
	}
	return cmd
}

// requestLeave quits at once if the run has ended or is only watched; otherwise it asks for confirmation.
func (d *dashboard) requestLeave() tea.Cmd {
	switch {
	case d.options.Stop == nil, d.run.ended:
		return tea.Quit
	case !d.run.stopping:
		d.approveDialog, d.help = nil, false
		d.leaveDialog = &components.Dialog{
			Theme: d.theme, Title: "The run is still active. Quit?", Back: "cancel", Accept: "stop and keep everything",
			Hint: "enter selects, esc cancels, ctrl+c stops", OnAccept: d.stopRun,
		}
	}
	return nil
}

func (d *dashboard) stopRun() tea.Cmd {
	d.run.stopping = true
	d.options.Stop()
	return nil
}

// listOutcomes describes what follows if the operator leaves now.
func (d *dashboard) listOutcomes() []string {
	outcomes := []string{"Stopping waits for calls in flight. Nothing is deleted: " + d.panes().buildCloud().FormatRemaining() + "."}
	const certificates = " in the cloud. New nodes wait for certificates until you resume."
	switch {
	case d.run.isBootstrapped():
		outcomes = append(outcomes, "The cluster continues"+certificates)
	case len(d.run.board.Bootstrap) > 0:
		outcomes = append(outcomes, "The cluster's bootstrap continues"+certificates)
	}
	if d.options.ResumeCommand != "" {
		outcomes = append(outcomes, "Resume with: "+d.options.ResumeCommand)
	}
	return outcomes
}

func (d *dashboard) openApproveDialog() {
	d.help = false
	d.approveDialog = &components.Dialog{
		Theme: d.theme, Title: "Approve one more key?",
		Text: strings.Join(d.run.listUndecided(), ", ") + ": at least 4 keys had a first certificate approved, but no node registered. " +
			"Check the instances' consoles first: certificates get lost, or someone else requests them in their name.",
		Back: "cancel", Accept: "approve one more key of each",
		OnAccept: func() tea.Cmd {
			d.options.ApproveKeys()
			d.notice = "the next poll approves one more key of each"
			return nil
		},
	}
}

func (d *dashboard) canDecide() bool { return d.options.Decide != nil && d.run.board.Question != nil }

// openDecisionDialog shows the evidence. Without an answer, the run goes on as before.
func (d *dashboard) openDecisionDialog(question provisioner.Event) {
	d.help = false
	reply, accept := provisioner.Reply(question.Decision), "stop the run and keep everything"
	switch {
	case reply == provisioner.ReplyRepair:
		accept = "repair it"
	case reply == provisioner.ReplyCopy:
		accept = "have it copied in the zone"
	case d.nav.day2:
		accept = "give it up and uncordon"
	}
	d.approveDialog = &components.Dialog{
		Theme: d.theme, Title: question.Name, Text: question.Text + " Because: " + strings.Join(question.Evidence, "; "), Back: "decide later", Accept: accept,
		OnAccept: func() tea.Cmd {
			d.options.Decide(question.Name, reply)
			d.notice = "decided: " + string(reply)
			return nil
		},
	}
}

// openList covers the panes with a list of all that the selected pane is about. Closing it leads back to the pane.
func (d *dashboard) openList() {
	s := d.newScreen()
	target, title, follow := s.scrolledTab(), "", false
	switch {
	case d.nav.details:
		title = "diagnosis"
	case target == logTab && d.nav.journal:
		title, follow = journalTitle, true
	case target == logTab:
		title, follow = "events", true
	default:
		title = d.nav.name(target)
	}
	details, journal := d.nav.details, d.nav.journal
	list := components.NewList(d.theme, title, func() []components.Record { return d.panes().listRecords(target, details, journal) }, follow)
	list.SetFilter(d.nav.filters[target])
	list.OnCopy = func(text string) tea.Cmd { return app.CopyToClipboard(d.options.Out, text) }
	list.OnSave = func(text string) tea.Cmd { return saveList(d.options.Title, title, text, time.Now()) }
	d.list, d.help, d.handover.open = list, false, false
}

func (d *dashboard) handleListSaved(m listSavedMsg) {
	d.notice = d.theme.Mark(theme.OK) + " saved as " + m.path
	if m.err != nil {
		d.notice = d.theme.Mark(theme.Failed) + " not saved: " + cells.SanitizeText(m.err.Error(), d.options.ASCII)
	}
}

// handleListKey passes a key to the open list, whose help covers it.
func (d *dashboard) handleListKey(k tea.KeyMsg) tea.Cmd {
	if !d.list.IsTyping() && key.Matches(k, d.keys.Help) {
		d.help = true
		return nil
	}
	stays, cmd := d.list.HandleKey(k)
	if !stays {
		d.list = nil
	}
	return cmd
}
