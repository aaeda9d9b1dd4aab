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

// session is shared by all pages of an interview: the answers, their problems, the lookups, and the methods that change the
// answers. It is confined to the goroutine of the program, but for send and zoneMu.
type session struct {
	interview *wizard.Interview
	theme     pane.Theme
	ascii     bool
	out       io.Writer // the terminal; nil where there is none
	now       func() time.Time
	spawn     spawnFunc
	// send sends a message to the screen from any goroutine, such as the progress of background work.
	send  func(tea.Msg)
	later sendAfterFunc

	answers       *wizard.Answers
	answerErrors  []wizard.Problem // of the answers themselves
	fieldIndex    fieldIndex
	validation    *validation                 // nil after every message
	rejectedTexts map[string]string           // rejected texts: they stay in their fields
	rejections    map[string][]wizard.Problem // why
	touched       map[string]bool             // fields that were left once: missing answers are shown, too
	asked         map[string]bool             // of an interview limited to some keys
	local         localCheck                  // files and variables of this machine
	lookups       []*lookupState
	estimates     estimateCache // of quotas and cost
	saveQueue     saveQueue
	savedAt       time.Time // last time that the draft was saved
	saveErr       error     // why that failed
	savingSecrets map[string]bool
	secretErrs    map[string]error // secrets that could not be saved

	zoneRuns int          // zone checks whose machine may still exist
	zoneMu   sync.RWMutex // held for reading by each of them

	visited    map[wizard.Screen]bool // screens that were opened
	helpBeside bool                   // the help is beside the page

	intent   any       // requested by the page: one of the intents below
	commands []tea.Cmd // to run in the background after this message
}

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

func (t *session) spec() state.Spec { return t.answers.Spec }

func (t *session) listFields(screen wizard.Screen) []wizard.Field {
	if t.interview.Only == nil {
		return t.fieldIndex.screens[screen]
	}
	return slices.DeleteFunc(slices.Clone(t.fieldIndex.screens[screen]), func(f wizard.Field) bool { return !t.isAsked(f.Key) })
}

// isAsked reports whether an interview that is limited to some keys asks this one: it was named, or its answer has an error.
func (t *session) isAsked(key string) bool {
	return t.interview.Only == nil || slices.Contains(t.interview.Only, key) || t.asked[key]
}

// getText returns the text that was entered last, even if it was rejected.
func (t *session) getText(field wizard.Field) string {
	if text, refused := t.rejectedTexts[field.Key]; refused {
		return text
	}
	return field.Get(t.spec())
}

// set stores an answer. A rejected text stays in its field, and the answer does not change.
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

// updateSpec changes several answers at once that have no common field, such as another group. key is the path of the change.
func (t *session) updateSpec(key string, edit func(*state.Spec)) {
	edit(&t.answers.Spec)
	t.answers.Origins[key] = wizard.Typed
	t.handleChange()
}

func (t *session) handleChange() {
	t.saveQueue.dirty = true
	t.checkAnswers()
	t.scheduleLookups(lookupDelay)
}

func (t *session) addCommand(cmd tea.Cmd) {
	if cmd != nil {
		t.commands = append(t.commands, cmd)
	}
}

func (t *session) takeCommands() tea.Cmd {
	t.addCommand(t.saveQueue.startNext())
	commands := t.commands
	t.commands = nil
	return tea.Batch(commands...)
}

type (
	nextIntent     struct{}
	previousIntent struct{}
	fieldIntent    struct{ key string }
	finishIntent   struct{ install bool }
)

func (t *session) requestNext() { t.intent = nextIntent{} }

func (t *session) requestPrevious() { t.intent = previousIntent{} }

func (t *session) requestField(key string) { t.intent = fieldIntent{key} }

// requestFinish saves everything and ends the wizard; goes confirms the installation.
func (t *session) requestFinish(goes bool) { t.intent = finishIntent{goes} }
