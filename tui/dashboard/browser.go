package dashboard

import (
	"fmt"
	"os"
	"strings"
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/cluster"
	"exoshift/tui/components/run"
	"exoshift/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

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
		title = target.String()
	}
	details, journal := d.nav.details, d.nav.journal
	list := components.NewList(d.theme, title, func() []components.Record { return d.panes().listRecords(target, details, journal) }, follow)
	list.SetFilter(d.nav.filters[target])
	list.OnCopy = func(text string) tea.Cmd { return app.CopyToClipboard(d.options.Out, text) }
	list.OnSave = func(text string) tea.Cmd { return saveList(d.options.Title, title, text, time.Now()) }
	d.list, d.help, d.handover.open = list, false, false
}

func (p panes) listRecords(t tab, details, journal bool) []components.Record {
	records := run.Records{Board: p.run.board, Now: p.now, Title: p.run.findStepTitle}
	parts := cluster.Records{Board: p.run.board, Summary: p.run.nodes, Now: p.now, History: records.FormatHistory}
	switch {
	case details && len(p.run.board.Findings) > 0:
		return records.ListFindings()
	case t == logTab && journal:
		return records.ListEvents(p.run.board.Journal)
	}
	switch t {
	case bootstrapTab:
		return parts.ListBootstrap()
	case etcdTab:
		return parts.ListMembers()
	case nodesTab:
		return parts.ListNodes()
	case operatorsTab:
		return parts.ListOperators()
	case cloudTab:
		return records.ListObjects()
	case logTab:
		return records.ListEvents(p.run.board.Log)
	case synTab:
		return parts.ListApplications()
	}
	return records.ListSteps()
}

type listSavedMsg struct {
	path string
	err  error
}

// saveList writes the rows of a list into a new file of the working directory.
func saveList(cluster, title, text string, now time.Time) tea.Cmd {
	return func() tea.Msg {
		name := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
				return r
			}
			return '-'
		}, strings.ToLower(cluster+"-"+title))
		path := fmt.Sprintf("%s-%s.txt", name, now.Format("20060102-150405"))
		return listSavedMsg{path, os.WriteFile(path, []byte(text), 0o600)}
	}
}

func (d *dashboard) handleListSaved(m listSavedMsg) {
	d.notice = d.theme.Mark(theme.OK) + " saved as " + m.path
	if m.err != nil {
		d.notice = d.theme.Mark(theme.Failed) + " not saved: " + cells.SanitizeText(m.err.Error(), d.options.ASCII)
	}
}

// handleListKey passes a key to the open list.
func (d *dashboard) handleListKey(k tea.KeyMsg) tea.Cmd {
	stays, cmd := d.list.HandleKey(k)
	if !stays {
		d.list = nil
	}
	return cmd
}
