package nodes

import (
	"slices"
	"strings"

	"exoshift/tui/components/plan"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// Prefixes of the targets of a button, whose number follows, and of an instance type, whose name follows.
const (
	buttonTarget = "button:"
	typeTarget   = "type:"
)

// mouse is what clicks do on the page.
type mouse struct{ *Page }

// handleClick selects a cell; one that is not a number is opened where it is selected already. Buttons take effect at once.
func (p mouse) handleClick(target string) {
	p.notice = ""
	switch {
	case p.remove != "" || p.naming != nil:
		return
	case p.list != nil:
		typePicker(p).clickType(target)
		return
	}
	cellEditor(p).storeEdit()
	if number, is := strings.CutPrefix(target, buttonTarget); is {
		p.row, p.button = len(p.listRows()), min(max(parseNumber(number), 0), p.lastButton())
		p.handleButtonKey(tea.KeyMsg{Type: tea.KeyEnter})
		return
	}
	rows := p.listRows()
	for row := range rows {
		for i, column := range collectColumns(rows) {
			if target == plan.FormatCellTarget(row, i) && slices.Contains(p.listParts(row), column.part) {
				p.clickCell(row, column.part)
			}
		}
	}
}

func (p mouse) clickCell(row int, part string) {
	again := p.row == row && p.part == part
	p.row, p.part = row, part
	if field, there := p.selectedField(); there && again && field.Shape() != wizard.Number {
		p.handleCellKey(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
	}
}

// clickType selects a type; the selected one is chosen.
func (p typePicker) clickType(target string) {
	name, is := strings.CutPrefix(target, typeTarget)
	at := slices.IndexFunc(p.list.filterTypes(), func(t instanceType) bool { return t.name == name })
	switch {
	case !is || at < 0:
	case p.list.cursor == at:
		p.selectType()
	default:
		p.list.cursor, p.list.why = at, ""
	}
}
