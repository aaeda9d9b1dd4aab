package form

import (
	"strconv"

	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type formKeys struct {
	Up, Down, First, Last                         key.Binding
	Accept, Next, Unfold, Toggle, List, Give      key.Binding
	Pick, Filter, Close, Reveal, Correct, Yes, No key.Binding
	Reset                                         key.Binding
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
		Give:    bind("space", "choose source", " ", "right"),
		Pick:    bind("enter", "choose", "enter"),
		Filter:  bind("letters", "search", "letters"),
		Close:   bind("esc", "close", "esc"),
		Reveal:  bind("ctrl+v", "show for 5 s", "ctrl+v"),
		Correct: bind("ctrl+y", "use the suggestion", "ctrl+y"),
		Reset:   bind("F4", "default", "f4"),
		Yes:     bind("y", "yes", "y", "Y"),
		No:      bind("n", "no", "n", "N"),
	}
}

// handleKey handles a key while no list is open.
func (f *Form) handleKey(k tea.KeyMsg) {
	k.Paste = false
	switch {
	case key.Matches(k, f.keys.Correct) && textField{f}.hasSuggestion():
		textField{f}.applySuggestion()
	case key.Matches(k, f.keys.Reset) && (f.editor == nil || f.editor.source == "") && textField{f}.hasOtherAnswer():
		textField{f}.resetAnswer()
	case f.editor != nil && f.editor.source != "" && secretField{f}.handleKey(k):
	case key.Matches(k, f.keys.Up):
		f.moveBy(-1)
	case key.Matches(k, f.keys.Down):
		f.moveBy(1)
	case key.Matches(k, f.keys.First):
		f.moveBy(-len(f.listRows()))
	case key.Matches(k, f.keys.Last):
		f.moveBy(len(f.listRows()))
	default:
		f.handleRowKey(k)
	}
}

func (f *Form) handleRowKey(k tea.KeyMsg) {
	row := f.selectedRow()
	switch row.kind {
	case textRow:
		textField{f}.handleTextKey(k)
	case choiceRow:
		f.handleChoiceKey(row.field, k)
	case switchRow:
		f.handleSwitchKey(row.field, k)
	case secretRow:
		secretField{f}.handleReferenceKey(row.field, k)
	case foldRow:
		if key.Matches(k, f.keys.Unfold) {
			f.unfolded = !f.unfolded
		}
	case nextRow:
		if key.Matches(k, f.keys.Next) {
			f.session.RequestNext()
		}
	}
}

func (f *Form) storeEdit() {
	switch e := f.editor; {
	case e == nil:
	case e.source == "":
		textField{f}.storeText(false)
	default:
		secretField{f}.store()
	}
}

func (f *Form) handleSwitchKey(field wizard.Field, k tea.KeyMsg) {
	on := f.session.Text(field) == "true"
	switch {
	case k.Type == tea.KeyEnter:
		f.selectNext()
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
	_ = f.session.Set(field.Key, strconv.FormatBool(on)) // the error is shown below the row
}

// handleChoiceKey handles a key on a row with choices: enter keeps the value, a letter opens the list with that filter.
func (f *Form) handleChoiceKey(field wizard.Field, k tea.KeyMsg) {
	switch {
	case k.Type == tea.KeyEnter && len(f.session.Errors(field.Key)) == 0 && f.session.IsAnswered(field):
		f.selectNext()
	case k.Type == tea.KeyEnter, key.Matches(k, f.keys.List):
		f.openChoices(field)
	case k.Type == tea.KeyRunes && !k.Alt:
		f.openChoices(field)
		f.list.handleFilterKey(k)
	}
}

func (f *Form) openChoices(field wizard.Field) {
	choices := f.session.Lookups.Choices(field)
	if !field.IsRequired(f.session.Spec()) {
		choices = append([]wizard.Choice{{Value: "", Note: "none"}}, choices...)
	}
	f.list = newChoiceList(field.Title, choices, f.session.Text(field), len(field.Choices) == 0, func(value string) {
		_ = f.session.Set(field.Key, value) // the error is shown below the row
		if !f.session.IsRejected(field.Key) {
			f.list = nil
			f.selectNext()
		}
	})
}

// Hints returns the keys of what is open, or else of the row with the cursor.
func (f *Form) Hints() []key.Binding {
	k := f.keys
	switch {
	case f.list != nil:
		return []key.Binding{k.Pick, k.Filter, k.Close}
	case f.editor != nil && f.editor.source == sourceTyped && f.editor.field.Key != session.PullSecretKey:
		return []key.Binding{k.Accept, k.Reveal, k.Close}
	case f.editor != nil && f.editor.source != "":
		return []key.Binding{k.Accept, k.Close}
	}
	hints := listRowHints(f)
	if (textField{f}).hasSuggestion() {
		hints = append([]key.Binding{k.Correct}, hints...)
	}
	if (textField{f}).hasOtherAnswer() {
		hints = append(hints, k.Reset)
	}
	return hints
}

func listRowHints(f *Form) []key.Binding {
	k, row := f.keys, f.selectedRow()
	needed := row.field.Key != "" && !f.session.IsAnswered(row.field)
	switch {
	case row.kind == foldRow:
		return []key.Binding{k.Unfold}
	case row.kind == nextRow:
		return []key.Binding{k.Next}
	case row.kind == switchRow:
		return []key.Binding{k.Accept, k.Toggle}
	case row.kind == choiceRow && needed:
		return []key.Binding{k.List}
	case row.kind == choiceRow:
		return []key.Binding{k.Accept, k.List}
	case row.kind == secretRow && needed:
		return []key.Binding{k.Give}
	case row.kind == secretRow:
		return []key.Binding{k.Accept, k.Give}
	}
	return []key.Binding{k.Accept}
}
