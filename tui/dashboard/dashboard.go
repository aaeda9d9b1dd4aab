// Package dashboard is the screen of a run: it folds the events into a board and draws it with panes. A run is never blocked by
// its screen.
package dashboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Options configure the dashboard.
type Options struct {
	Title    string // the cluster's id
	Subtitle string // e.g. zone and version
	Verb     string // what is done with an installed cluster; "": it is being installed
	Plan     provisioner.Plan
	Events   <-chan provisioner.Event // closed by the caller when the run has ended
	Stop     func()                   // stops the run after the calls in flight; nil for a run that is only watched
	// ApproveKeys approves one more key of each machine that waits for approval; nil disables that.
	ApproveKeys func()
	// Decide answers the question about a finding, by its rule; nil disables that.
	Decide func(rule string, reply provisioner.Reply)
	Nodes  []state.Machine // the machines that become nodes; may be empty

	// Handover writes the handover report once the run has succeeded; it may block for long. Nil: there is none.
	Handover func() handover.Report

	ResumeCommand string           // resumes a run that ended early
	Speed         float64          // of the clock, shown unless it is 0 or 1
	Player        Player           // nil unless the run is a recording
	Now           func() time.Time // clock of the run; nil for the wall clock
	Wall          func() time.Time // clock that certificates expire by; nil for the wall clock

	In      io.Reader // nil for the standard input
	Out     io.Writer // nil for the standard output
	NoColor bool
	ASCII   bool
	Silent  bool // neither bell nor notifications
}

// ErrLeft is returned when the operator left the dashboard while the run was still going on.
var ErrLeft = errors.New("quit before the run ended")

const framesPerSecond = 10

// Run shows the dashboard until the operator quits, which needs no confirmation once the run has ended, or until ctx ends and
// then returns its cause. Leaving early returns ErrLeft. If no key can come any more, because the terminal is gone, the dashboard
// quits when the run ends. Events are drained to their end in any case, so the run is never blocked. The terminal is always
// restored; the caller prints the summary.
func Run(ctx context.Context, o Options) error {
	if o.Out == nil {
		o.Out = os.Stdout
	}
	if err := app.CheckTerminal(o.Out, "open the dashboard", "use --output plain"); err != nil {
		go forwardEvents(o.Events, func(tea.Msg) {})
		return err
	}
	return runScreen(ctx, o)
}

func runScreen(ctx context.Context, o Options) error {
	d := newDashboard(o)
	d.attention.signals = app.DetectSignals(o.Out, o.NoColor, o.Silent)
	defer d.attention.signals.Save()()
	program := app.NewProgram(d, app.Options{In: o.In, Out: o.Out, FPS: framesPerSecond})
	go forwardEvents(o.Events, program.Send)
	switch err := program.Run(ctx); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fault.New(fault.Internal, "draw the dashboard", err).WithHint("use --output plain")
	case !d.run.ended:
		return ErrLeft
	}
	return nil
}

// dashboard handles the messages and keys of the screen. What is known of the run is in run, what the operator looks at in nav.
type dashboard struct {
	options Options
	theme   theme.Theme
	keys    keyMap
	run     *runState
	nav     navigation

	attention attention

	width, height int
	help          bool
	helpOffset    int                // lines above what is shown of it
	leaveDialog   *components.Dialog // nil while closed
	approveDialog *components.Dialog // about new keys of machines, or a finding; nil while closed
	handover      handoverPanel
	list          *components.List // covers the panes; nil while closed
	notice        string           // result of a copy or an approval, in place of the key line
	inputClosed   bool             // no further key will come
}

func newDashboard(o Options) *dashboard {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wall == nil {
		o.Wall = time.Now
	}
	for _, s := range []*string{&o.Title, &o.Verb, &o.Subtitle, &o.ResumeCommand} {
		*s = cells.SanitizeText(*s, o.ASCII)
	}
	d := &dashboard{options: o, theme: theme.Detect(o.Out, o.NoColor, o.ASCII), keys: newKeyMap(o.Player != nil), run: newRunState(o)}
	d.theme.Mouse = app.HasMouse(o.Out)
	d.keys.Mouse.SetEnabled(d.theme.Mouse)
	d.handover.theme = d.theme
	d.updateKeys()
	return d
}

// updateKeys enables what the state of the run allows.
func (d *dashboard) updateKeys() {
	d.nav.count, d.nav.day2 = synTab, d.run.board.Verb != ""
	if len(d.run.board.Applications) > 0 {
		d.nav.count = tabCount
	}
	approves, decides := d.options.ApproveKeys != nil && len(d.run.listUndecided()) > 0, d.canDecide()
	d.keys.Approve.SetEnabled(!d.run.ended && (approves || decides))
	d.keys.Approve.SetHelp("a", "approve new keys")
	if decides {
		d.keys.Approve.SetHelp("a", "decide")
	}
	d.keys.Handover.SetEnabled(d.handover.report != nil)
}

func (d *dashboard) Init() tea.Cmd { return app.SendLater(time.Second, app.TickMsg{}) }

func (d *dashboard) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var commands []tea.Cmd
	for _, m := range app.SplitRunes(message) {
		commands = append(commands, d.handleMsg(m))
	}
	commands = append(commands, d.attention.update(d))
	return d, tea.Batch(commands...)
}

func (d *dashboard) handleMsg(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		d.width, d.height = m.Width, m.Height
	case app.TickMsg:
		if !d.run.eventsClosed {
			return app.SendLater(time.Second, app.TickMsg{})
		}
	case eventsMsg:
		d.run.fold(m)
		return d.handleRunEnd()
	case eventsClosedMsg:
		d.run.eventsClosed = true
		return d.handleRunEnd()
	case app.CopiedMsg:
		d.handleCopied(m)
	case listSavedMsg:
		d.handleListSaved(m)
	case reportMsg:
		d.handover.show(m.report, d.options.ASCII, !d.help)
		d.updateKeys()
	case app.InputClosedMsg:
		d.inputClosed = true
		if d.run.ended {
			return tea.Quit
		}
	case tea.KeyMsg:
		return d.handleKey(m)
	default:
		return mouse{d}.handle(message)
	}
	return nil
}

// At the end of the run the dashboard quits if the operator requested the stop or no key can come any more; a failure opens its
// details.
func (d *dashboard) handleRunEnd() tea.Cmd {
	defer d.updateKeys()
	before := d.run.ended
	d.run.ended = d.run.eventsClosed || d.run.board.Run.State == provisioner.Finished
	switch {
	case !d.run.ended:
		d.handover.discard()
		return nil
	case before:
		return nil
	}
	d.leaveDialog, d.approveDialog = nil, nil
	if d.run.stopping || d.inputClosed {
		return tea.Quit
	}
	d.nav.details = d.run.board.Run.Result == "failed"
	return d.writeReport()
}

// writeReport writes the handover report once, in the background.
func (d *dashboard) writeReport() tea.Cmd {
	write := d.options.Handover
	if write == nil || d.run.board.Run.Result != "ok" {
		return nil
	}
	return func() tea.Msg { return reportMsg{write()} }
}

func (d *dashboard) handleKey(k tea.KeyMsg) tea.Cmd {
	d.notice = ""
	interrupted := k.Type == tea.KeyCtrlC
	switch {
	case interrupted && d.run.stopping:
		return tea.Quit
	case interrupted && d.leaveDialog != nil:
		d.leaveDialog = nil
		return d.stopRun()
	case d.leaveDialog != nil:
		return handleDialogKey(&d.leaveDialog, k)
	case !interrupted && d.approveDialog != nil:
		return handleDialogKey(&d.approveDialog, k)
	case !interrupted && d.nav.typing:
		d.nav.handleFilterKey(k, d.options.ASCII)
		return nil
	case !interrupted && !d.help && d.list != nil && !isGlobalKey(d.list, d.keys, k):
		return d.handleListKey(k)
	}
	return d.handleMainKey(k)
}

// isGlobalKey reports whether a key does the same in the panes and in an open list.
func isGlobalKey(open *components.List, keys keyMap, k tea.KeyMsg) bool {
	return k.Type == tea.KeyCtrlL || !open.IsTyping() && key.Matches(k, keys.Mouse)
}

func (d *dashboard) handleMainKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, d.keys.Leave), k.Type == tea.KeyEnter && d.isLastScreen():
		return d.requestLeave()
	case d.handlePlayerKey(k):
	case d.help:
		helpKeys{d}.handleKey(k)
	case key.Matches(k, d.keys.Redraw):
		return tea.ClearScreen
	case key.Matches(k, d.keys.Mouse):
		return app.ToggleMouse
	case key.Matches(k, d.keys.Open) && d.opensList():
		d.openList()
	case d.handleReportKey(k):
		d.nav.details = false
	case key.Matches(k, d.keys.Approve):
		d.openQuestion()
	case key.Matches(k, d.keys.Copy) && d.panes().buildAction().Text() != "":
		return app.CopyToClipboard(d.options.Out, d.panes().buildAction().Text())
	default:
		d.handleViewKey(k)
	}
	return nil
}

// openQuestion opens the dialog of what a person is asked.
func (d *dashboard) openQuestion() {
	if d.canDecide() {
		d.openDecisionDialog(*d.run.board.Question)
		return
	}
	d.openApproveDialog()
}

// isLastScreen reports whether nothing is left to read but the overview of a run that has ended.
func (d *dashboard) isLastScreen() bool {
	return d.run.ended && d.handover.report == nil && d.nav.tab == overviewTab && !d.nav.details
}

// opensList reports whether enter opens the list of a pane. Where the report or the end of the run has the overview, it does not.
func (d *dashboard) opensList() bool {
	return !d.handover.open && (d.nav.tab != overviewTab || d.nav.details || !d.run.ended)
}

func (d *dashboard) handleReportKey(k tea.KeyMsg) bool {
	width, height := d.newScreen().reportSize()
	return d.handover.handleKey(k, d.keys, width, height)
}

func (d *dashboard) handleViewKey(k tea.KeyMsg) {
	switch {
	case key.Matches(k, d.keys.Tabs):
		d.selectTab(tab(k.Runes[0] - '1'))
	case key.Matches(k, d.keys.Next):
		d.selectTab((d.nav.tab + 1) % d.nav.count)
	case key.Matches(k, d.keys.Previous):
		d.selectTab((d.nav.tab + d.nav.count - 1) % d.nav.count)
	case key.Matches(k, d.keys.Details):
		d.nav.toggleDetails()
		d.handover.open = false
	case key.Matches(k, d.keys.Log):
		d.nav.toggleJournal(len(d.run.board.Journal) > 0)
		d.selectTab(logTab)
	case key.Matches(k, d.keys.Filter):
		d.nav.startFilter()
		d.handover.open = false
	case key.Matches(k, d.keys.Back) && d.nav.closeOverlay():
	case key.Matches(k, d.keys.Wide) && !d.newScreen().canShowAll():
		d.notice = fmt.Sprintf("one pane at a time: all of them need %d columns", components.MediumWidth)
	case key.Matches(k, d.keys.Wide):
		d.nav.single = !d.nav.single
	case key.Matches(k, d.keys.Help):
		d.help = true
	default:
		d.handleScrollKey(k)
	}
}

func (d *dashboard) selectTab(t tab) {
	if d.nav.selectTab(t) {
		d.handover.open = false
	}
}

func (d *dashboard) handleScrollKey(k tea.KeyMsg) {
	s := d.newScreen()
	_, height := s.focusSize()
	page := max(height-2, 1)
	switch {
	case key.Matches(k, d.keys.Up):
		s.scroll(-1)
	case key.Matches(k, d.keys.Down):
		s.scroll(1)
	case key.Matches(k, d.keys.PageUp):
		s.scroll(-page)
	case key.Matches(k, d.keys.PageDown):
		s.scroll(page)
	case key.Matches(k, d.keys.Home):
		d.nav.resetScroll()
	}
}

func (d *dashboard) handleCopied(m app.CopiedMsg) {
	d.notice = d.theme.Mark(theme.OK) + " copied to the clipboard, if supported"
	if m.Err != nil {
		d.notice = d.theme.Mark(theme.Failed) + " not copied: " + cells.SanitizeText(m.Err.Error(), d.options.ASCII)
	}
}

// It reports whether the key was one of the player's.
func (d *dashboard) handlePlayerKey(k tea.KeyMsg) bool {
	switch {
	case d.options.Player == nil:
		return false
	case key.Matches(k, d.keys.Pause):
		d.options.Player.Pause()
	case key.Matches(k, d.keys.Faster):
		d.options.Player.Faster()
	case key.Matches(k, d.keys.Slower):
		d.options.Player.Slower()
	default:
		return false
	}
	return true
}
