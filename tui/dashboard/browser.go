package dashboard

import (
	"fmt"
	"os"
	"strings"
	"time"

	"exoshift/tui/components"
	"exoshift/tui/components/cluster"
	"exoshift/tui/components/run"

	tea "github.com/charmbracelet/bubbletea"
)

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
		if p.nav.day2 {
			return parts.ListDay2()
		}
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
