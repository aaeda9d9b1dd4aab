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

// session is what all pages of one interview share: the answers, what is wrong with them, what the outside said about them,
// and the way to change them. It belongs to the screen's goroutine.
type session struct {
	interview *wizard.Interview
	theme     pane.Theme
	ascii     bool
	out       io.Writer // the terminal; nil where there is none
	now       func() time.Time
	spawn     spawnFunc
	// send tells the screen something from any goroutine, such as how far a long work is.
	send func(tea.Msg)
	// later returns a command that brings a message after a pause.
	later sendAfterFunc

	answers       *wizard.Answers
	answerErrors  []wizard.Problem // what is wrong with the answers themselves
	fieldIndex    fieldIndex
	validation    *validation                 // nil if something was heard since
	rejectedTexts map[string]string           // texts that were refused: they stay in their fields
	rejections    map[string][]wizard.Problem // why
	touched       map[string]bool             // fields that were left once: also what is missing there is told
	asked         map[string]bool             // of an interview about some keys only
	local         localCheck                  // what this machine can say about the answers
	lookups       []*lookupState
	estimates     estimateCache // what the answers need of the organization's quotas
	saveQueue     saveQueue
	savedAt       time.Time // when the draft was saved last
	saveErr       error     // why that failed
	savingSecrets map[string]bool
	secretErrs    map[string]error // secrets that could not be kept

	zoneRuns int          // looks from the zone whose machine may still be there
	zoneMu   sync.RWMutex // held for reading by each of them

	visited    map[wizard.Screen]bool // screens that somebody has seen
	helpBeside bool                   // the help of what is selected stands beside the page

	intent   any       // what the page wants of the wizard
	commands []tea.Cmd // to run in the background after this message
}

// newSession begins an interview.
func newSession(i *wizard.Interview, theme pane.Theme, ascii bool, now func() time.Time) *session {
	t := &session{
		interview: i, theme: theme, ascii: ascii, now: now, answers: i.Answers.Copy(),
		rejectedTexts: map[string]string{}, rejections: map[string][]wizard.Problem{}, touched: map[string]bool{}, asked: map[string]bool{},
		visited: map[wizard.Screen]bool{}, savingSecrets: map[string]bool{}, secretErrs: map[string]error{},
		send: func(tea.Msg) {}, spawn: newSpawner(context.Background()), later: sendAfter,
	}
	t.saveQueue.save = t.prepareSave
	for _, one := range i.Lookups {
		t.lookups = append(t.lookups, &lookupState{Lookup: one})
	}
	return t
}

// spec is the answers as they are.
func (t *session) spec() state.Spec { return t.answers.Spec }

// listFields are what is asked on a screen.
func (t *session) listFields(screen wizard.Screen) []wizard.Field {
	if t.interview.Only == nil {
		return t.fieldIndex.screens[screen]
	}
	return slices.DeleteFunc(slices.Clone(t.fieldIndex.screens[screen]), func(f wizard.Field) bool { return !t.isAsked(f.Key) })
}

// isAsked tells whether an interview about some keys is about this one: it was named, or it has a fault that somebody must
// mend.
func (t *session) isAsked(key string) bool {
	return t.interview.Only == nil || slices.Contains(t.interview.Only, key) || t.asked[key]
}

// getText is what a field shows: what was typed last, although it may have been refused.
func (t *session) getText(field wizard.Field) string {
	if text, refused := t.rejectedTexts[field.Key]; refused {
		return text
	}
	return field.Get(t.spec())
}

// set gives an answer. A text that is refused stays in its field, the answer as it was.
func (t *session) set(key, text string) error { return t.setAs(key, text, wizard.Typed) }

func (t *session) setAs(key, text, origin string) error {
	t.touched[key] = true
	if err := t.answers.Set(key, text, origin); err != nil {
		t.rejectedTexts[key], t.rejections[key] = text, splitProblems(key, err)
		t.resetValidation()
		return err
	}
	delete(t.rejectedTexts, key)
	delete(t.rejections, key)
	t.handleChange()
	for screen := range t.visited {
		t.applySuggestions(screen)
	}
	return nil
}

// updateSpec gives several answers at once that no single field stands for, such as one group more. key says what they are
// about.
func (t *session) updateSpec(key string, edit func(*state.Spec)) {
	edit(&t.answers.Spec)
	t.answers.Origins[key] = wizard.Typed
	t.handleChange()
}

// handleChange looks at the answers anew, asks the outside about them and saves them.
func (t *session) handleChange() {
	t.saveQueue.dirty = true
	t.checkAnswers()
	t.scheduleLookups(lookupDelay)
}

// addCommand has a command run in the background after this message.
func (t *session) addCommand(cmd tea.Cmd) {
	if cmd != nil {
		t.commands = append(t.commands, cmd)
	}
}

// takeCommands returns everything that is to run now.
func (t *session) takeCommands() tea.Cmd {
	t.addCommand(t.saveQueue.startNext())
	commands := t.commands
	t.commands = nil
	return tea.Batch(commands...)
}

// What a page wants of the wizard.
type (
	nextIntent     struct{}
	previousIntent struct{}
	fieldIntent    struct{ key string }
	finishIntent   struct{ install bool }
)

// requestNext asks for the next screen.
func (t *session) requestNext() { t.intent = nextIntent{} }

// requestPrevious asks for the screen before.
func (t *session) requestPrevious() { t.intent = previousIntent{} }

// requestField asks for the screen of a field, with the field selected.
func (t *session) requestField(key string) { t.intent = fieldIntent{key} }

// requestFinish ends the wizard, everything saved; goes says that the installation is wanted.
func (t *session) requestFinish(goes bool) { t.intent = finishIntent{goes} }
