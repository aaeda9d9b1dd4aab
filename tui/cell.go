package tui

import (
	"fmt"
	"strconv"
	"strings"

	"exoshift/state"
	"exoshift/wizard"

	tea "github.com/charmbracelet/bubbletea"
)

// cellEdit is a number that is being typed into a cell.
type cellEdit struct {
	field wizard.Field
	text  string
	spec  *state.Spec // the answers with it, if it is allowed
}

// digits is the most that a number has.
const digits = 6

// typeInto takes characters; those that cannot be part of the value are refused.
func (p *nodesPage) typeInto(field wizard.Field, runes []rune) {
	if p.edit == nil {
		p.edit = &cellEdit{field: field}
	}
	for _, r := range runes {
		switch {
		case !field.Typable(r):
			p.notice = "only digits can be typed here"
		case len(p.edit.text) < digits:
			p.edit.text += string(r)
		}
	}
	if p.edit.text == "" {
		p.edit = nil
		return
	}
	p.weigh()
}

// erase takes the last digit away.
func (p *nodesPage) erase(field wizard.Field) {
	if p.edit == nil {
		p.edit = &cellEdit{field: field, text: field.Get(p.talk.spec())}
	}
	p.edit.text = p.edit.text[:max(len(p.edit.text)-1, 0)]
	p.weigh()
}

// weigh finds out what the answers would be with what was typed so far.
func (p *nodesPage) weigh() {
	spec := detached(p.talk.spec())
	if p.edit.field.Set(&spec, p.edit.text) == nil {
		p.edit.spec = &spec
	} else {
		p.edit.spec = nil
	}
}

// commit gives what was typed as the answer. What is refused stays in its cell.
func (p *nodesPage) commit() {
	edit := p.edit
	if p.edit = nil; edit == nil {
		return
	}
	p.give(edit.field, edit.text)
}

// give gives an answer, unless it is the one that is there.
func (p *nodesPage) give(field wizard.Field, text string) {
	if text == p.talk.text(field) {
		return
	}
	_ = p.talk.set(field.Key, text) // what is wrong is told below the table
}

// step changes a number by one, or a disk by ten.
func (p *nodesPage) step(field wizard.Field, by int) {
	p.commit()
	n, err := strconv.Atoi(p.talk.text(field))
	if err != nil {
		return
	}
	if strings.HasSuffix(field.Key, "Disk") {
		by *= 10
	}
	text := strconv.Itoa(max(n+by, 0))
	spec := detached(p.talk.spec())
	if err := field.Set(&spec, text); err != nil {
		if faults := faultsOf(field.Key, err); len(faults) > 0 {
			p.notice = fmt.Sprintf("%s: %s", field.Title, p.talk.sentence(faults[0]))
		}
		return
	}
	p.give(field, text)
}

// flip turns a switch.
func (p *nodesPage) flip(field wizard.Field) {
	p.give(field, strconv.FormatBool(field.Get(p.talk.spec()) != "true"))
}

// pressEdit takes a key while a number is being typed; false leaves it to the page.
func (p *nodesPage) pressEdit(k tea.KeyMsg) bool {
	switch k.Type {
	case tea.KeyEsc:
		p.edit = nil
	case tea.KeyCtrlU:
		p.edit.text = ""
		p.weigh()
	case tea.KeyEnter:
		p.vertical(1)
	default:
		return false
	}
	return true
}
