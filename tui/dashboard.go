package tui

import (
	"time"

	"exoshift/provisioner"
	"exoshift/tui/components/cluster"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// dashboard is the screen of a run. It folds events into a board; everything else is the state of the view.
type dashboard struct {
	options Options
	theme   theme.Theme
	keys    keyMap
	board   *provisioner.Board
	nodes   cluster.NodeSummary // of the board's nodes

	width, height int
	single        bool // one pane at a time on a large screen, too
	tab           tab
	offsets       [tabCount]int    // lines scrolled in each pane
	filters       [tabCount]string // words that panes are filtered by
	typing        bool             // the filter of the selected pane is being edited
	logEnd        int              // event at the bottom of the log; 0 follows the run
	journal       bool             // the log shows the journal of the bootstrap machine
	journalEnd    int              // line at its bottom
	details       bool             // the diagnosis covers the main pane
	help          bool
	menu          *leaveMenu     // nil unless the leave menu is open
	decision      *confirmDialog // nil unless the approval of new keys is open
	handoverState handoverState
	notice        string // result of a copy, in place of the key line

	stopping     bool // the operator requested the stop of the run
	ended        bool // the run has ended, or its events have
	eventsClosed bool // no further event will come
	inputClosed  bool // no further key will come
}

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

func (t tab) String() string {
	return [...]string{"overview", "steps", "bootstrap", "etcd", "nodes", "operators", "cloud", "log", "project syn"}[t]
}

func newDashboard(o Options) *dashboard {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wall == nil {
		o.Wall = time.Now
	}
	for _, s := range []*string{&o.Title, &o.Subtitle, &o.ResumeCommand} {
		*s = sanitizeText(*s, o.ASCII)
	}
	d := &dashboard{options: o, theme: o.newTheme(), keys: newKeyMap(o.Player != nil), board: provisioner.NewBoard(sanitizePlan(o.Plan, o.ASCII))}
	d.updateNodes()
	return d
}

func (d *dashboard) updateNodes() {
	d.nodes = cluster.CountNodes(d.board.Nodes, d.board.CSRs, d.options.Nodes)
	d.keys.Approve.SetEnabled(d.options.ApproveKeys != nil && len(d.listUndecided()) > 0)
}

type tickMsg struct{}

func (d *dashboard) Init() tea.Cmd { return scheduleTick() }

func scheduleTick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

func (d *dashboard) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		d.width, d.height = m.Width, m.Height
	case tickMsg:
		if !d.eventsClosed {
			return d, scheduleTick()
		}
	case eventsMsg:
		return d, d.handleEvents(m)
	case eventsClosedMsg:
		d.eventsClosed = true
		return d, d.handleRunEnd()
	case copiedMsg:
		d.handleCopied(m)
	case reportMsg:
		d.handleReport(m.report)
	case inputClosedMsg:
		d.inputClosed = true
		if d.ended {
			return d, tea.Quit
		}
	case tea.KeyMsg:
		return d, d.handleRunes(m)
	}
	return d, nil
}

// handleRunes handles keys one by one: runes that are typed fast come in one message.
func (d *dashboard) handleRunes(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes {
		return d.handleKey(k)
	}
	var last tea.Cmd
	for _, r := range k.Runes {
		if cmd := d.handleKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}); cmd != nil {
			last = cmd
		}
	}
	return last
}

func (d *dashboard) handleEvents(events eventsMsg) tea.Cmd {
	changed := false
	for _, e := range events {
		d.board.Fold(sanitizeEvent(e, d.options.ASCII))
		changed = changed || e.Type == provisioner.TypeNode || e.Type == provisioner.TypeCSR
	}
	if changed {
		d.updateNodes()
	}
	return d.handleRunEnd()
}

// At the end of the run the dashboard quits if the operator requested the stop or no key can come any more; a failure opens its
// details.
func (d *dashboard) handleRunEnd() tea.Cmd {
	ended := d.eventsClosed || d.board.Run.State == provisioner.Finished
	if !ended {
		d.discardReport()
	}
	if !ended || d.ended {
		d.ended = ended
		return nil
	}
	d.ended, d.menu, d.decision = true, nil, nil
	d.keys.Approve.SetEnabled(false)
	if d.stopping || d.inputClosed {
		return tea.Quit
	}
	d.details = d.board.Run.Result == "failed"
	return d.writeReport()
}

func (d *dashboard) handleKey(k tea.KeyMsg) tea.Cmd {
	d.notice = ""
	switch {
	case k.Type == tea.KeyCtrlC && d.stopping:
		return tea.Quit
	case d.menu != nil:
		return d.handleMenuKey(k)
	case k.Type != tea.KeyCtrlC && d.decision != nil:
		return d.handleDecisionKey(k)
	case k.Type != tea.KeyCtrlC && d.typing:
		d.handleFilterKey(k)
		return nil
	}
	return d.handleMainKey(k)
}

func (d *dashboard) handleMainKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, d.keys.Leave), d.ended && k.Type == tea.KeyEnter && d.handoverState.report == nil:
		return d.requestLeave()
	case d.handlePlayerKey(k):
		return nil
	case d.help:
		d.help = key.Matches(k, d.keys.Redraw)
		return nil
	case key.Matches(k, d.keys.Redraw):
		return tea.ClearScreen
	case d.handleReportKey(k):
		return nil
	case key.Matches(k, d.keys.Approve):
		d.requestDecision()
		return nil
	}
	if copying, is := d.handleLinkKey(k); is {
		return copying
	}
	d.handleViewKey(k)
	return nil
}

func (d *dashboard) handleViewKey(k tea.KeyMsg) {
	switch {
	case key.Matches(k, d.keys.Tabs):
		d.selectTab(tab(k.Runes[0] - '1'))
	case key.Matches(k, d.keys.Next):
		d.selectTab((d.tab + 1) % d.countTabs())
	case key.Matches(k, d.keys.Previous):
		d.selectTab((d.tab + d.countTabs() - 1) % d.countTabs())
	case key.Matches(k, d.keys.Details):
		d.details, d.offsets[overviewTab], d.handoverState.open = !d.details, 0, false
	case key.Matches(k, d.keys.Log):
		d.selectLog()
	case key.Matches(k, d.keys.Filter):
		d.startFilter()
	case key.Matches(k, d.keys.Back) && d.closeOverlay():
	case key.Matches(k, d.keys.Wide):
		d.single = !d.single
	case key.Matches(k, d.keys.Help):
		d.help = true
	default:
		d.handleScrollKey(k)
	}
}

func (d *dashboard) countTabs() tab {
	if len(d.board.Applications) == 0 {
		return synTab
	}
	return tabCount
}

func (d *dashboard) selectTab(t tab) {
	if t < d.countTabs() {
		d.tab, d.details, d.handoverState.open = t, false, false
	}
}

// selectLog selects the log or, if it is selected, toggles it between events and the journal.
func (d *dashboard) selectLog() {
	if d.tab == logTab && !d.details {
		d.journal = !d.journal && len(d.board.Journal) > 0
	}
	d.selectTab(logTab)
}

// closeOverlay closes what covers or filters a pane; it reports whether there was anything to close.
func (d *dashboard) closeOverlay() bool {
	switch {
	case d.details:
		d.details = false
	case d.filters[d.tab] != "":
		d.filters[d.tab] = ""
	default:
		return false
	}
	return true
}

// requestLeave quits at once if the run has ended or is only watched; otherwise it asks for confirmation.
func (d *dashboard) requestLeave() tea.Cmd {
	switch {
	case d.options.Stop == nil, d.ended:
		return tea.Quit
	case !d.stopping:
		d.menu, d.decision, d.help = &leaveMenu{}, nil, false
	}
	return nil
}

// now returns the time of the run while it goes on, and that of its last event afterwards.
func (d *dashboard) now() time.Time {
	if now := d.options.Now(); !d.ended && now.After(d.board.Now) {
		return now
	}
	return d.board.Now
}

func (d *dashboard) elapsed() time.Duration {
	if d.board.Began.IsZero() {
		return 0
	}
	return d.now().Sub(d.board.Began)
}
