package dashboard

import (
	"exoshift/tui/components"

	tea "github.com/charmbracelet/bubbletea"
)

// tab is a pane that the operator can select.
type tab int

const (
	overviewTab tab = iota
	stepsTab
	bootstrapTab
	etcdTab
	nodesTab
	operatorsTab
	cloudTab
	logTab
	synTab // only for a cluster that is connected to Project Syn
	tabCount
)

// day2Tab takes the place of the bootstrap where a verb works on an installed cluster.
const day2Tab = bootstrapTab

func (t tab) String() string {
	return [...]string{"overview", "steps", "bootstrap", "etcd", "nodes", "operators", "cloud", "log", "project syn"}[t]
}

func (t tab) shortName() string {
	return [...]string{"all", "steps", "boot", "etcd", "nodes", "ops", "cloud", "log", "syn"}[t]
}

// name returns the name of a pane.
func (n navigation) name(t tab) string {
	switch {
	case n.day2 && t == day2Tab:
		return "day 2"
	case n.day2 && t == cloudTab: // objects of the cluster, too
		return "changes"
	}
	return t.String()
}

// shortName returns a name for where there is little room.
func (n navigation) shortName(t tab) string {
	if n.day2 && (t == day2Tab || t == cloudTab) {
		return n.name(t)
	}
	return t.shortName()
}

// navigation is what the operator looks at: the selected pane, its filter, and how far each is scrolled.
type navigation struct {
	tab     tab
	count   tab           // number of panes
	day2    bool          // a verb works on an installed cluster
	single  bool          // one pane at a time on a large screen, too
	details bool          // the diagnosis covers the main pane
	offsets [tabCount]int // lines scrolled in each pane; that of the diagnosis is the overview's
	filters [tabCount]components.Filter
	typing  bool // the filter of the selected pane is being edited

	journal    bool // the log shows the journal of the bootstrap machine
	logEnd     int  // event at the bottom of the log; 0 follows the run
	journalEnd int  // line at the bottom of the journal; 0 follows it
}

// selectTab reports whether there is such a pane.
func (n *navigation) selectTab(t tab) bool {
	if t >= n.count {
		return false
	}
	n.tab, n.details = t, false
	return true
}

func (n *navigation) toggleDetails() { n.details, n.offsets[overviewTab] = !n.details, 0 }

// toggleJournal changes between events and journal, if the log is selected already.
func (n *navigation) toggleJournal(hasJournal bool) {
	if n.tab == logTab && !n.details {
		n.journal = !n.journal && hasJournal
	}
}

// closeOverlay closes what covers or filters a pane; it reports whether there was anything to close.
func (n *navigation) closeOverlay() bool {
	switch {
	case n.details:
		n.details = false
	case n.filters[n.tab].Word() != "":
		n.filters[n.tab].Clear()
	default:
		return false
	}
	return true
}

// startFilter begins to edit the filter of the selected pane; from panes without one it switches to the nodes.
func (n *navigation) startFilter() {
	switch n.tab {
	case nodesTab, operatorsTab, logTab, synTab:
	default:
		n.tab = nodesTab
	}
	n.selectTab(n.tab)
	n.typing = true
}

// Letters are text while the filter is edited.
func (n *navigation) handleFilterKey(k tea.KeyMsg, ascii bool) {
	n.typing = n.filters[n.tab].HandleKey(k, ascii)
	n.offsets[n.tab], n.logEnd, n.journalEnd = 0, 0, 0
}

// isTypingIn reports whether the filter of a pane is being edited.
func (n *navigation) isTypingIn(t tab) bool { return n.typing && n.tab == t }

func (n *navigation) resetScroll() {
	n.offsets, n.logEnd, n.journalEnd = [tabCount]int{}, 0, 0
}
