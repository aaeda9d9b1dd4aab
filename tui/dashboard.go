package tui

import (
	"time"

	"exoshift/provisioner"
	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// dashboard is the screen of a run. It folds events into a board; everything else is what the operator chose to see.
type dashboard struct {
	options Options
	theme   pane.Theme
	keys    keyMap
	board   *provisioner.Board
	census  pane.Census // of the board's nodes

	width, height int
	single        bool // one pane at a time on a large screen, too
	tab           tab
	offsets       [tabs]int    // lines scrolled in each pane
	filters       [tabs]string // words that panes are filtered by
	typing        bool         // the word for the chosen pane is being typed
	until         int          // event at the bottom of the log; 0 follows the run
	journal       bool         // the log shows the journal of the bootstrap machine
	journalUntil  int          // line at its bottom
	details       bool         // what is wrong covers the main pane
	help          bool
	menu          *leaveMenu // nil while nobody wants to leave
	decision      *question  // nil while nobody approves new keys
	transfer      transfer
	notes         string // what became of a copy, in place of the key line

	stopping bool // the operator asked for the end of the run
	ended    bool // the run has ended, or nothing more will be heard of it
	closed   bool // nothing more will be heard
	deaf     bool // no key will come any more
}

// tab is a pane that the operator can choose.
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
	synTab // only of a cluster that is connected to Project Syn
	tabs
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
		*s = cleanText(*s, o.ASCII)
	}
	d := &dashboard{options: o, theme: o.theme(), keys: newKeyMap(o.Player != nil), board: provisioner.NewBoard(cleanPlan(o.Plan, o.ASCII))}
	d.count()
	return d
}

// count takes the census of the nodes anew.
func (d *dashboard) count() {
	d.census = pane.Count(d.board.Nodes, d.board.CSRs, d.options.Nodes)
	d.keys.Approve.SetEnabled(d.options.ApproveKeys != nil && len(d.undecided()) > 0)
}

// beat asks for the clock to be drawn.
type beat struct{}

func (d *dashboard) Init() tea.Cmd { return nextBeat() }

func nextBeat() tea.Cmd { return tea.Tick(time.Second, func(time.Time) tea.Msg { return beat{} }) }

func (d *dashboard) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		d.width, d.height = m.Width, m.Height
	case beat:
		if !d.closed {
			return d, nextBeat()
		}
	case heard:
		return d, d.hear(m)
	case over:
		d.closed = true
		return d, d.settle()
	case copied:
		d.hearCopied(m)
	case handedOver:
		d.receive(m.report)
	case deaf:
		d.deaf = true
		if d.ended {
			return d, tea.Quit
		}
	case tea.KeyMsg:
		return d, d.typed(m)
	}
	return d, nil
}

// typed presses keys one by one: those that are typed fast arrive together.
func (d *dashboard) typed(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes {
		return d.press(k)
	}
	var last tea.Cmd
	for _, r := range k.Runes {
		if cmd := d.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}); cmd != nil {
			last = cmd
		}
	}
	return last
}

func (d *dashboard) hear(events heard) tea.Cmd {
	changed := false
	for _, e := range events {
		d.board.Fold(clean(e, d.options.ASCII))
		changed = changed || e.Type == provisioner.TypeNode || e.Type == provisioner.TypeCSR
	}
	if changed {
		d.count()
	}
	return d.settle()
}

// settle notices that the run ended: an operator who asked for the end leaves, as does one who cannot ask any more; a
// failure shows its details.
func (d *dashboard) settle() tea.Cmd {
	ended := d.closed || d.board.Run.State == provisioner.Finished
	if !ended {
		d.withdraw()
	}
	if !ended || d.ended {
		d.ended = ended
		return nil
	}
	d.ended, d.menu, d.decision = true, nil, nil
	d.keys.Approve.SetEnabled(false)
	if d.stopping || d.deaf {
		return tea.Quit
	}
	d.details = d.board.Run.Result == "failed"
	return d.handOver()
}

func (d *dashboard) press(k tea.KeyMsg) tea.Cmd {
	d.notes = ""
	switch {
	case k.Type == tea.KeyCtrlC && d.stopping:
		return tea.Quit
	case d.menu != nil:
		return d.pressMenu(k)
	case k.Type != tea.KeyCtrlC && d.decision != nil:
		return d.pressDecision(k)
	case k.Type != tea.KeyCtrlC && d.typing:
		d.write(k)
		return nil
	}
	return d.pressKey(k)
}

// pressKey handles a key while nothing else takes the keys.
func (d *dashboard) pressKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, d.keys.Leave), d.ended && k.Type == tea.KeyEnter && d.transfer.report == nil:
		return d.leave()
	case d.play(k):
		return nil
	case d.help:
		d.help = key.Matches(k, d.keys.Redraw)
		return nil
	case key.Matches(k, d.keys.Redraw):
		return tea.ClearScreen
	case d.turn(k):
		return nil
	case key.Matches(k, d.keys.Approve):
		d.decide()
		return nil
	}
	if copying, is := d.pressLink(k); is {
		return copying
	}
	d.look(k)
	return nil
}

// look handles the keys that only change what is seen.
func (d *dashboard) look(k tea.KeyMsg) {
	switch {
	case key.Matches(k, d.keys.Tabs):
		d.choose(tab(k.Runes[0] - '1'))
	case key.Matches(k, d.keys.Next):
		d.choose((d.tab + 1) % d.shown())
	case key.Matches(k, d.keys.Previous):
		d.choose((d.tab + d.shown() - 1) % d.shown())
	case key.Matches(k, d.keys.Details):
		d.details, d.offsets[overviewTab], d.transfer.open = !d.details, 0, false
	case key.Matches(k, d.keys.Log):
		d.chooseLog()
	case key.Matches(k, d.keys.Filter):
		d.filter()
	case key.Matches(k, d.keys.Back) && d.goBack():
	case key.Matches(k, d.keys.Wide):
		d.single = !d.single
	case key.Matches(k, d.keys.Help):
		d.help = true
	default:
		d.scrollBy(k)
	}
}

// shown is how many panes there are to choose from.
func (d *dashboard) shown() tab {
	if len(d.board.Applications) == 0 {
		return synTab
	}
	return tabs
}

func (d *dashboard) choose(t tab) {
	if t < d.shown() {
		d.tab, d.details, d.transfer.open = t, false, false
	}
}

// chooseLog chooses the log or, where it is chosen, what it shows: events or the journal.
func (d *dashboard) chooseLog() {
	if d.tab == logTab && !d.details {
		d.journal = !d.journal && len(d.board.Journal) > 0
	}
	d.choose(logTab)
}

// goBack closes what covers a pane or filters it; it tells whether there was such a thing.
func (d *dashboard) goBack() bool {
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

// leave is free once the run has ended or if it is only watched; else it asks.
func (d *dashboard) leave() tea.Cmd {
	switch {
	case d.options.Stop == nil, d.ended:
		return tea.Quit
	case !d.stopping:
		d.menu, d.decision, d.help = &leaveMenu{}, nil, false
	}
	return nil
}

// now is the time that is shown: that of the run while it goes on, and of its last event afterwards.
func (d *dashboard) now() time.Time {
	if now := d.options.Now(); !d.ended && now.After(d.board.Now) {
		return now
	}
	return d.board.Now
}

// elapsed is how long the run has been going on.
func (d *dashboard) elapsed() time.Duration {
	if d.board.Began.IsZero() {
		return 0
	}
	return d.now().Sub(d.board.Began)
}
