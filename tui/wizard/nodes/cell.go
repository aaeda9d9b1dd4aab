package nodes

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/session"

	tea "github.com/charmbracelet/bubbletea"
)

type cellEdit struct {
	field wizard.Field
	text  string
	spec  *state.Spec // the answers with it, if it is allowed
}

const maxDigits = 6

// cellEditor edits the cell of the cursor.
type cellEditor struct{ *Page }

// Characters that cannot be part of the value are rejected.
func (p cellEditor) insertDigits(field wizard.Field, runes []rune) {
	if p.edit == nil {
		p.edit = &cellEdit{field: field}
	}
	for _, r := range runes {
		switch {
		case !field.IsTypable(r):
			p.notice = "only digits can be typed here"
		case len(p.edit.text) < maxDigits:
			p.edit.text += string(r)
		}
	}
	if p.edit.text == "" {
		p.edit = nil
		return
	}
	p.updatePreview()
}

func (p cellEditor) deleteDigit(field wizard.Field) {
	if p.edit == nil {
		p.edit = &cellEdit{field: field, text: field.Get(p.session.Spec())}
	}
	p.edit.text = p.edit.text[:max(len(p.edit.text)-1, 0)]
	p.updatePreview()
}

func (p cellEditor) updatePreview() {
	spec := session.CopyGroups(p.session.Spec())
	if p.edit.field.Set(&spec, p.edit.text) == nil {
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
	p.setAnswer(edit.field, edit.text)
}

func (p cellEditor) setAnswer(field wizard.Field, text string) {
	if text == p.session.Text(field) {
		return
	}
	_ = p.session.Set(field.Key, text) // the error is shown below the table
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
	switch k.Type {
	case tea.KeyEsc:
		p.edit = nil
	case tea.KeyCtrlU:
		p.edit.text = ""
		p.updatePreview()
	case tea.KeyEnter:
		p.moveVertical(1)
	default:
		return false
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
