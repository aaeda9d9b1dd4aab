package tui

import (
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// formKeys are the keys of a form.
type formKeys struct {
	Up, Down, First, Last                         key.Binding
	Accept, Next, Unfold, Toggle, List, Give      key.Binding
	Pick, Filter, Close, Reveal, Correct, Yes, No key.Binding
}

func newFormKeys() formKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return formKeys{
		Up:      bind("up", "up", "up", "shift+tab"),
		Down:    bind("down", "down", "down", "tab"),
		First:   bind("pgup", "first", "pgup"),
		Last:    bind("pgdown", "last", "pgdown"),
		Accept:  bind("enter", "accept", "enter"),
		Next:    bind("enter", "next screen", "enter", " "),
		Unfold:  bind("enter", "show or hide", "enter", " ", "right", "left"),
		Toggle:  bind("space", "change", " ", "left", "right"),
		List:    bind("space", "list", " ", "right"),
		Give:    bind("space", "where it is", " ", "right"),
		Pick:    bind("enter", "choose", "enter"),
		Filter:  bind("letters", "search", "letters"),
		Close:   bind("esc", "close", "esc"),
		Reveal:  bind("ctrl+v", "show for 5 s", "ctrl+v"),
		Correct: bind("ctrl+y", "take the suggestion", "ctrl+y"),
		Yes:     bind("y", "yes", "y", "Y"),
		No:      bind("n", "no", "n", "N"),
	}
}

// press takes a key while no list is open.
func (f *form) press(k tea.KeyMsg) {
	k.Paste = false
	switch {
	case key.Matches(k, f.keys.Correct) && f.suggests():
		f.correct()
	case f.editor != nil && f.editor.source != "" && f.pressSecret(k):
	case key.Matches(k, f.keys.Up):
		f.move(-1)
	case key.Matches(k, f.keys.Down):
		f.move(1)
	case key.Matches(k, f.keys.First):
		f.move(-len(f.rows()))
	case key.Matches(k, f.keys.Last):
		f.move(len(f.rows()))
	default:
		f.pressRow(k)
	}
}

// pressRow takes a key that means something to the row with the cursor.
func (f *form) pressRow(k tea.KeyMsg) {
	row := f.row()
	switch row.kind {
	case textRow:
		f.pressText(k)
	case choiceRow:
		f.pressChoice(row.field, k)
	case switchRow:
		f.pressSwitch(row.field, k)
	case secretRow:
		f.pressReference(row.field, k)
	case foldRow:
		if key.Matches(k, f.keys.Unfold) {
			f.unfolded = !f.unfolded
		}
	case nextRow:
		if key.Matches(k, f.keys.Next) {
			f.talk.ahead()
		}
	}
}

func (f *form) pressText(k tea.KeyMsg) {
	if f.editor == nil {
		f.choose(f.selected)
	}
	if k.Type != tea.KeyEnter {
		f.note = f.editor.press(k)
		return
	}
	f.talk.touched[f.selected] = true
	f.commitText(true)
	if len(f.talk.refused[f.selected]) == 0 {
		f.onward()
	}
}

// commit stores what was typed.
func (f *form) commit() {
	switch e := f.editor; {
	case e == nil:
	case e.source == "":
		f.commitText(false)
	default:
		f.commitSecret()
	}
}

// commitText stores a text that was changed, or with always any one. What is refused stays in its field.
func (f *form) commitText(always bool) {
	e := f.editor
	if e == nil || e.source != "" || !always && !e.dirty() {
		return
	}
	if unchanged := !e.dirty() && e.text() != ""; unchanged && len(f.talk.refused[e.field.Key]) == 0 {
		return // an accepted default stays one
	}
	if always && !e.dirty() && e.text() == "" && !e.field.RequiredBy(f.talk.spec()) {
		return
	}
	if f.talk.set(e.field.Key, e.text()) == nil {
		f.editor = newEditor(e.field, f.talk.text(e.field))
		f.editor.input.SetCursor(e.input.Position())
		return
	}
	e.before = e.input.Value()
}

// suggestion is what was probably meant on the row with the cursor.
func (f *form) suggestion() (key, text string) {
	for _, fault := range f.talk.red(f.selected) {
		if fault.Suggestion != "" && fault.Field == f.selected {
			return fault.Remedy()
		}
	}
	return "", ""
}

func (f *form) suggests() bool { key, _ := f.suggestion(); return key != "" }

// correct takes the suggestion.
func (f *form) correct() {
	if f.talk.set(f.suggestion()) == nil {
		f.editor = nil
		f.choose(f.selected)
	}
}

func (f *form) pressSwitch(field wizard.Field, k tea.KeyMsg) {
	on := f.talk.text(field) == "true"
	switch {
	case k.Type == tea.KeyEnter:
		f.onward()
		return
	case key.Matches(k, f.keys.Toggle):
		on = !on
	case key.Matches(k, f.keys.Yes):
		on = true
	case key.Matches(k, f.keys.No):
		on = false
	default:
		return
	}
	f.answer(field.Key, map[bool]string{true: "true", false: "false"}[on])
}

// answered tells whether there is an answer, as far as one is needed.
func (f *form) answered(field wizard.Field) bool {
	return f.talk.text(field) != "" || !field.RequiredBy(f.talk.spec())
}

// answer gives an answer that was chosen; what is refused is told below it.
func (f *form) answer(key, text string) { _ = f.talk.set(key, text) }
