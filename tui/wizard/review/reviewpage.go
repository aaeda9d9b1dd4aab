package review

import (
	"time"

	"exoshift/tui/app"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/components/plan"
	"exoshift/tui/theme"
	"exoshift/tui/wizard/page"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Review shows what an installation would do, and asks for the confirmation.
type Review struct {
	session *page.Context
	keys    components.DocumentKeys

	run    *session.ReviewRun
	review wizard.Review // sanitized

	groups []plan.Group
	open   map[int]bool
	focus  int // a group, or one of the buttons behind the groups
	offset int // lines scrolled
	frame  int // of the animated picture; 0: all of it
	size   components.Rect
}

type frameMsg struct {
	began time.Time // of the run
	frame int
}

const (
	frameCount    = 10
	frameInterval = 60 * time.Millisecond
)

// NewReview returns the page of the review.
func NewReview(t *page.Context) *Review {
	return &Review{session: t, run: t.Plan, keys: components.NewDocumentKeys()}
}

// Open reads what exists, unless that was done for the present answers.
func (p *Review) Open() tea.Cmd {
	p.offset, p.focus = 0, p.backButton()
	switch {
	case p.run.IsCurrent():
		p.showFrame(1)
	case !p.run.IsRunning():
		p.startReview()
	}
	return nil
}

// Close cancels the review.
func (p *Review) Close() bool {
	p.run.Stop()
	return true
}

func (p *Review) startReview() { p.session.RunWork(p.run.Start(p.handleReview)) }

// Update handles keys, and the frames of the picture.
func (p *Review) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case frameMsg:
		if m.began.Equal(p.run.Began()) && m.frame == p.frame {
			p.showFrame(p.frame + 1)
		}
	case tea.KeyMsg:
		p.handleKey(m)
	case app.ClickMsg:
		p.handleClick(m.Target)
	}
	return nil
}

// handleClick unfolds a group, or selects a button: what creates resources takes a second click.
func (p *Review) handleClick(target string) {
	for at := range p.confirmButton() + 1 {
		if target != plan.FormatGroupTarget(at) {
			continue
		}
		again := p.focus == at
		if p.focus = at; again || at < len(p.groups) || at == p.backButton() {
			p.handleAccept()
		}
	}
}

func (p *Review) handleReview() {
	p.review = sanitizeReview(p.run.Review(), p.session.ASCII)
	p.groups, p.open, p.offset = plan.GroupPlan(toPlanned(p.review.Changes)), map[int]bool{}, 0
	if p.focus = p.backButton(); p.run.HasFailed() {
		p.focus = p.confirmButton()
	}
	p.showFrame(1)
}

// Slow and ASCII terminals show the whole picture at once.
func (p *Review) showFrame(frame int) {
	if frame >= frameCount || p.session.ASCII {
		p.frame = 0
		return
	}
	p.frame = frame
	p.session.AddCommand(p.session.Later(frameInterval, frameMsg{p.run.Began(), frame}))
}

// backButton and confirmButton come behind the groups.
func (p *Review) backButton() int    { return len(p.groups) }
func (p *Review) confirmButton() int { return len(p.groups) + 1 }

func (p *Review) handleKey(k tea.KeyMsg) {
	switch {
	case key.Matches(k, p.keys.Again):
		p.startReview()
	case key.Matches(k, p.keys.Accept):
		p.handleAccept()
	case key.Matches(k, p.keys.Next):
		p.setFocus(p.focus + 1)
	case key.Matches(k, p.keys.Previous):
		p.setFocus(p.focus - 1)
	case key.Matches(k, p.keys.Up):
		p.scroll(-1)
	case key.Matches(k, p.keys.Down):
		p.scroll(1)
	case key.Matches(k, p.keys.PageUp):
		p.scroll(-p.computePageSize())
	case key.Matches(k, p.keys.PageDown):
		p.scroll(p.computePageSize())
	case key.Matches(k, p.keys.Home):
		p.offset = 0
	case key.Matches(k, p.keys.End):
		p.scroll(reviewView{p}.countLines())
	}
}

// The focus wraps around; a group is scrolled into view.
func (p *Review) setFocus(focus int) {
	n := p.confirmButton() + 1
	p.focus = (focus + n) % n
	if p.focus < len(p.groups) {
		p.offset = 0
		p.scroll(reviewView{p}.buildReview().FindLine(p.focus, p.size.W) - p.size.H/2)
	}
}

func (p *Review) scroll(by int) {
	p.offset = min(max(p.offset+by, 0), max(reviewView{p}.countLines()-p.size.H, 0))
}

func (p *Review) handleAccept() {
	switch {
	case p.focus < len(p.groups):
		p.open[p.focus] = !p.open[p.focus]
	case p.focus == p.backButton():
		p.session.RequestPrevious()
	default:
		p.submit()
	}
}

// submit confirms the reviewed plan, and only that one.
func (p *Review) submit() {
	field, known := p.findFix()
	switch {
	case p.run.IsRunning():
	case known:
		p.session.RequestField(field.Key)
	case !p.run.IsCurrent():
		p.startReview()
	case p.session.Interview.CheckOnly:
		p.session.RequestFinish(false)
	case p.run.Blocker() == "":
		p.session.RequestFinish(true)
	}
}

func (p *Review) findFix() (wizard.Field, bool) {
	failure, failed := p.run.Failure()
	if !failed {
		return wizard.Field{}, false
	}
	return session.FindAsked(failure.Field, p.run.Spec())
}

// Mark returns the status of the review; one of other answers does not count.
func (p *Review) Mark() theme.Status {
	switch {
	case p.run.IsRunning():
		return theme.Running
	case p.run.HasFailed(), p.run.IsCurrent() && p.run.Blocker() != "":
		return theme.Failed
	case p.run.IsCurrent():
		return theme.OK
	}
	return theme.Waiting
}

// computePageSize subtracts the two lines that count what is above and below, and one line of overlap.
func (p *Review) computePageSize() int { return max(p.size.H-3, 1) }

// View draws the review, and the buttons below it.
func (p *Review) View(width, height int) string {
	buttons := []string{p.session.Theme.RenderRule(width), reviewView{p}.renderButtons(width)}
	switch {
	case height < 2:
		buttons = nil
	case height < 6:
		buttons = buttons[1:]
	}
	p.size = components.Rect{W: width, H: height - len(buttons)}
	text := reviewView{p}.buildText().View(width, height-len(buttons))
	if len(buttons) == 0 || width <= 0 {
		return text
	}
	return text + "\n" + cells.Fill(buttons, width, len(buttons))
}

// InputMode is read-only: the page has no fields.
func (p *Review) InputMode() page.InputMode { return page.ModeReadOnly }

// IsFullWidth returns true: the page explains itself.
func (p *Review) IsFullWidth() bool { return true }

// Hints returns the keys that apply now.
func (p *Review) Hints() []key.Binding {
	accept := p.keys.Accept
	if p.focus < len(p.groups) {
		accept.SetHelp("enter", "unfold")
	}
	next, down := p.keys.Next, p.keys.Down
	next.SetHelp("tab", "next")
	down.SetHelp("up/down", "scroll")
	return []key.Binding{accept, next, down, p.keys.Again}
}

// Help explains the page.
func (p *Review) Help() string {
	return "The plan of the installation, based on the current state of Exoscale. Nothing is created until you choose Create.\n" +
		"Up and down scroll. Tab moves to the object types, where enter lists the objects, and to the buttons.\n" +
		"The time is typical for such installations. You can quit at any time: the same command resumes.\n" +
		"All objects are named or labeled with the cluster ID; exoshift destroy deletes them."
}
