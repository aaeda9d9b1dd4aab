package tui

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// talk is what all pages of one interview share: the answers, what is wrong with them, what the outside said about them,
// and the way to change them. It belongs to the screen's goroutine.
type talk struct {
	interview *wizard.Interview
	theme     pane.Theme
	ascii     bool
	out       io.Writer // the terminal; nil where there is none
	now       func() time.Time
	spawn     spawner
	// send tells the screen something from any goroutine, such as how far a long work is.
	send func(tea.Msg)
	// later returns a command that brings a message after a pause.
	later timer

	answers   *wizard.Answers
	checked   []wizard.Fault // what is wrong with the answers themselves
	asking    questionnaire
	surveyed  *survey                   // nil if something was heard since
	rejected  map[string]string         // texts that were refused: they stay in their fields
	refused   map[string][]wizard.Fault // why
	touched   map[string]bool           // fields that were left once: also what is missing there is told
	asked     map[string]bool           // of an interview about some keys only
	local     localLook                 // what this machine can say about the answers
	inquiries []*inquiry
	weighed   weighing // what the answers need of the organization's quotas
	clerk     clerk
	saved     time.Time // when the draft was saved last
	unsavable error     // why that failed
	keeping   map[string]bool
	unkept    map[string]error // secrets that could not be kept

	travels int          // looks from the zone whose machine may still be there
	abroad  sync.RWMutex // held for reading by each of them

	entered map[wizard.Screen]bool // screens that somebody has seen
	roomy   bool                   // the help of what is selected stands beside the page

	wish     any       // what the page wants of the wizard
	commands []tea.Cmd // to run in the background after this message
}

// newTalk begins an interview.
func newTalk(i *wizard.Interview, theme pane.Theme, ascii bool, now func() time.Time) *talk {
	t := &talk{
		interview: i, theme: theme, ascii: ascii, now: now, answers: i.Answers.Copy(),
		rejected: map[string]string{}, refused: map[string][]wizard.Fault{}, touched: map[string]bool{}, asked: map[string]bool{},
		entered: map[wizard.Screen]bool{}, keeping: map[string]bool{}, unkept: map[string]error{},
		send: func(tea.Msg) {}, spawn: inBackground(context.Background()), later: afterwards,
	}
	t.clerk.save = t.snapshot
	for _, one := range i.Inquiries {
		t.inquiries = append(t.inquiries, &inquiry{Inquiry: one})
	}
	return t
}

// spec is the answers as they are.
func (t *talk) spec() state.Spec { return t.answers.Spec }

// fields are what is asked on a screen.
func (t *talk) fields(screen wizard.Screen) []wizard.Field {
	if t.interview.Only == nil {
		return t.asking.screens[screen]
	}
	return slices.DeleteFunc(slices.Clone(t.asking.screens[screen]), func(f wizard.Field) bool { return !t.asks(f.Key) })
}

// asks tells whether an interview about some keys is about this one: it was named, or it has a fault that somebody must
// mend.
func (t *talk) asks(key string) bool {
	return t.interview.Only == nil || slices.Contains(t.interview.Only, key) || t.asked[key]
}

// text is what a field shows: what was typed last, although it may have been refused.
func (t *talk) text(field wizard.Field) string {
	if text, refused := t.rejected[field.Key]; refused {
		return text
	}
	return field.Get(t.spec())
}

// set gives an answer. A text that is refused stays in its field, the answer as it was.
func (t *talk) set(key, text string) error { return t.setAs(key, text, wizard.Typed) }

func (t *talk) setAs(key, text, origin string) error {
	t.touched[key] = true
	if err := t.answers.Set(key, text, origin); err != nil {
		t.rejected[key], t.refused[key] = text, faultsOf(key, err)
		t.stale()
		return err
	}
	delete(t.rejected, key)
	delete(t.refused, key)
	t.changed()
	for screen := range t.entered {
		t.suggest(screen)
	}
	return nil
}

// change gives several answers at once that no single field stands for, such as one group more. key says what they are
// about.
func (t *talk) change(key string, edit func(*state.Spec)) {
	edit(&t.answers.Spec)
	t.answers.Origins[key] = wizard.Typed
	t.changed()
}

// changed looks at the answers anew, asks the outside about them and saves them.
func (t *talk) changed() {
	t.clerk.unsaved = true
	t.check()
	t.inquire(settling)
}

// run has a command run in the background after this message.
func (t *talk) run(cmd tea.Cmd) {
	if cmd != nil {
		t.commands = append(t.commands, cmd)
	}
}

// take returns everything that is to run now.
func (t *talk) take() tea.Cmd {
	t.run(t.clerk.next())
	commands := t.commands
	t.commands = nil
	return tea.Batch(commands...)
}

// What a page wants of the wizard.
type (
	wantAhead  struct{}
	wantBack   struct{}
	wantGo     struct{ key string }
	wantFinish struct{ goes bool }
)

// ahead asks for the next screen.
func (t *talk) ahead() { t.wish = wantAhead{} }

// back asks for the screen before.
func (t *talk) back() { t.wish = wantBack{} }

// goTo asks for the screen of a field, with the field selected.
func (t *talk) goTo(key string) { t.wish = wantGo{key} }

// finish ends the wizard, everything saved; goes says that the installation is wanted.
func (t *talk) finish(goes bool) { t.wish = wantFinish{goes} }
