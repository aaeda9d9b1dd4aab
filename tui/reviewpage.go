package tui

import (
	"context"
	"reflect"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// reviewPage tells what an installation would do, and has the last word of the operator.
type reviewPage struct {
	talk *talk
	keys documentKeys

	attempt
	known  bool // review or err holds for the answers
	review wizard.Review
	err    error

	groups []pane.PlanGroup
	open   map[int]bool
	focus  int // a group, or one of the buttons behind the groups
	offset int // lines scrolled
	frame  int // of the picture that grows; 0: it is whole
	size   Rect
}

// reviewed is the end of a review.
type reviewed struct {
	turn   int
	review wizard.Review
	err    error
}

// grown brings the next frame of the picture.
type grown struct{ turn, frame int }

// How the picture grows.
const (
	pictureFrames = 10
	pictureBeat   = 60 * time.Millisecond
)

func newReviewPage(t *talk) *reviewPage { return &reviewPage{talk: t, keys: newDocumentKeys()} }

// Enter reads what is there, unless that was done for these answers.
func (p *reviewPage) Enter() tea.Cmd {
	p.offset, p.focus = 0, p.backButton()
	switch {
	case p.current():
		p.grow(1)
	case !p.running:
		p.run()
	}
	return nil
}

// Leave ends what goes on.
func (p *reviewPage) Leave() bool {
	if p.running {
		p.stop()
	}
	return true
}

// current tells whether the answers as they are were reviewed.
func (p *reviewPage) current() bool {
	return p.known && p.err == nil && reflect.DeepEqual(p.spec, p.talk.spec())
}

// run reads everything anew.
func (p *reviewPage) run() {
	p.known = false
	talk := p.talk
	p.begin(talk, func(ctx context.Context, turn int, spec state.Spec, secrets wizard.Secrets) tea.Msg {
		review, err := talk.interview.Review(ctx, spec, secrets)
		return reviewed{turn, review, err}
	})
}

func (p *reviewPage) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case reviewed:
		if m.turn == p.turn && p.running {
			p.hear(m)
		}
	case grown:
		if m.turn == p.turn && m.frame == p.frame {
			p.grow(p.frame + 1)
		}
	case tea.KeyMsg:
		p.press(m)
	}
	return nil
}

func (p *reviewPage) hear(m reviewed) {
	p.running, p.known, p.cancel = false, true, nil
	p.err, p.review = m.err, cleanReview(m.review, p.talk.ascii)
	p.groups, p.open, p.offset = pane.GroupPlan(planned(p.review.Changes)), map[int]bool{}, 0
	if p.focus = p.backButton(); p.err != nil {
		p.focus = p.goButton()
	}
	p.grow(1)
}

// grow shows the next frame of the picture. Slow and ASCII terminals have the whole one at once.
func (p *reviewPage) grow(frame int) {
	if frame >= pictureFrames || p.talk.ascii {
		p.frame = 0
		return
	}
	p.frame = frame
	p.talk.run(p.talk.later(pictureBeat, grown{p.turn, frame}))
}

// backButton and goButton come behind the groups.
func (p *reviewPage) backButton() int { return len(p.groups) }
func (p *reviewPage) goButton() int   { return len(p.groups) + 1 }

func (p *reviewPage) press(k tea.KeyMsg) {
	switch {
	case key.Matches(k, p.keys.Again):
		p.run()
	case key.Matches(k, p.keys.Accept):
		p.accept()
	case key.Matches(k, p.keys.Next):
		p.choose(p.focus + 1)
	case key.Matches(k, p.keys.Previous):
		p.choose(p.focus - 1)
	case key.Matches(k, p.keys.Up):
		p.scroll(-1)
	case key.Matches(k, p.keys.Down):
		p.scroll(1)
	case key.Matches(k, p.keys.PageUp):
		p.scroll(-p.page())
	case key.Matches(k, p.keys.PageDown):
		p.scroll(p.page())
	case key.Matches(k, p.keys.Home):
		p.offset = 0
	case key.Matches(k, p.keys.End):
		p.scroll(p.lines())
	}
}

// choose moves the focus round all groups and buttons, and brings a group into view.
func (p *reviewPage) choose(focus int) {
	n := p.goButton() + 1
	p.focus = (focus + n) % n
	if p.focus < len(p.groups) {
		p.offset = 0
		p.scroll(p.pane().LineOf(p.focus, p.size.W) - p.size.H/2)
	}
}

func (p *reviewPage) scroll(by int) {
	p.offset = min(max(p.offset+by, 0), max(p.lines()-p.size.H, 0))
}

// accept unfolds a group or presses a button.
func (p *reviewPage) accept() {
	switch {
	case p.focus < len(p.groups):
		p.open[p.focus] = !p.open[p.focus]
	case p.focus == p.backButton():
		p.talk.back()
	default:
		p.say()
	}
}

// say is what the other button does: it has the cluster created as it was reviewed and in no other way.
func (p *reviewPage) say() {
	field, known := p.remedy()
	switch {
	case p.running:
	case p.known && p.err != nil && known:
		p.talk.goTo(field.Key)
	case !p.current():
		p.run()
	case p.talk.interview.CheckOnly:
		p.talk.finish(false)
	case p.obstacle() == "":
		p.talk.finish(true)
	}
}

// remedy is the field whose answer keeps the plan from being made, if it is known.
func (p *reviewPage) remedy() (wizard.Field, bool) {
	if p.err == nil {
		return wizard.Field{}, false
	}
	return wayOut(fault.FieldOf(p.err), p.spec)
}

// Mark is how the review is; one of other answers says nothing.
func (p *reviewPage) Mark() pane.Status {
	switch {
	case p.running:
		return pane.Running
	case p.known && p.err != nil:
		return pane.Failed
	case p.current() && p.obstacle() != "":
		return pane.Failed
	case p.current():
		return pane.OK
	}
	return pane.Waiting
}

// page is how far a page leads: two lines say how much is above and below, and one line stays.
func (p *reviewPage) page() int { return max(p.size.H-3, 1) }
