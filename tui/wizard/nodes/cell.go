package nodes

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/state"
	"exoshift/tui/components"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type cellEdit struct {
	field wizard.Field
	input components.Input
	spec  *state.Spec // the answers with it, if it is allowed
}

func (e *cellEdit) getText() string { return strings.TrimSpace(e.input.Value()) }

// maxCellLength is in characters: far more than any number has.
const maxCellLength = 40

// cellEditor edits the cell of the cursor.
type cellEditor struct{ *Page }

// startEdit begins to edit a text. What is typed replaces a number, keys that delete change the present one.
func (p cellEditor) startEdit(field wizard.Field, text string, k tea.KeyMsg) {
	p.edit = &cellEdit{field: field, input: components.NewInput(maxCellLength)}
	p.edit.input.SetValue(text)
	p.changeEdit(k)
	if p.edit.input.Value() == text {
		p.edit = nil
	}
}

func (p cellEditor) changeEdit(k tea.KeyMsg) {
	p.notice = p.edit.input.HandleKey(k)
	if text := p.edit.getText(); p.notice == "" && strings.ContainsFunc(text, func(r rune) bool { return !p.edit.field.IsTypable(r) }) {
		p.notice = "digits only"
	}
	p.updatePreview()
}

func (p cellEditor) updatePreview() {
	spec := session.CopyGroups(p.session.Spec())
	if p.edit.field.Set(&spec, p.edit.getText()) == nil {
		p.edit.spec = &spec
	} else {
		p.edit.spec = nil
	}
}

func (p cellEditor) storeEdit() {
	edit := p.edit
	if p.edit = nil; edit == nil {
		return
	}
	p.setAnswer(edit.field, edit.getText())
}

func (p cellEditor) setAnswer(field wizard.Field, text string) {
	if text == p.session.Text(field) {
		return
	}
	_ = p.session.Set(field.Key, text) // the error is shown below the table
}

// All groups have one origin, so theirs are set to the default and not cleared.
func (p cellEditor) resetAnswer(field wizard.Field) {
	p.edit = nil
	if strings.Contains(field.Key, "[") {
		p.setAnswer(field, field.Default())
	} else if err := p.session.Clear(field.Key); err != nil {
		p.notice = err.Error()
	}
}

// Disk sizes change in steps of ten.
func (p cellEditor) addToNumber(field wizard.Field, by int) {
	p.storeEdit()
	n, err := strconv.Atoi(p.session.Text(field))
	if err != nil {
		return
	}
	if strings.HasSuffix(field.Key, "Disk") {
		by *= 10
	}
	text := strconv.Itoa(max(n+by, 0))
	spec := session.CopyGroups(p.session.Spec())
	if err := field.Set(&spec, text); err != nil {
		if faults := session.SplitProblems(field.Key, err); len(faults) > 0 {
			p.notice = fmt.Sprintf("%s: %s", field.Title, p.session.FormatError(faults[0]))
		}
		return
	}
	p.setAnswer(field, text)
}

func (p cellEditor) toggleSwitch(field wizard.Field) {
	p.setAnswer(field, strconv.FormatBool(field.Get(p.session.Spec()) != "true"))
}

// handleEditKey handles a key while a number is edited; false leaves it to the page.
func (p cellEditor) handleEditKey(k tea.KeyMsg) bool {
	switch {
	case k.Paste:
		p.changeEdit(k)
	case k.Type == tea.KeyEsc:
		p.edit = nil
	case k.Type == tea.KeyEnter:
		p.moveVertical(1)
	case key.Matches(k, p.keys.Up, p.keys.Down, p.keys.Left, p.keys.Right, p.keys.Next, p.keys.Previous, p.keys.Correct):
		return false
	case p.edit.spec != nil && k.Type == tea.KeyRunes && key.Matches(k, p.keys.More, p.keys.Less, p.keys.Add, p.keys.Rename, p.keys.Remove):
		return false // behind a number, letters are keys
	default:
		p.changeEdit(k)
	}
	return true
}

// applySuggestion applies the first fix that the shown problems suggest.
func (p cellEditor) applySuggestion() {
	p.storeEdit()
	rows := p.listRows()
	if p.row >= len(rows) {
		return
	}
	for _, fault := range append(session.FilterProblems(rows[p.row].key, p.session.AllErrors()), nodesView(p).listWarnings(rows[p.row].key)...) {
		if fault.Suggestion != "" {
			_ = p.session.Set(fault.FindFix()) // the error is shown below the table
			return
		}
	}
}
