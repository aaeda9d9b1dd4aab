package nodes

import (
	"exoshift/tui/app"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

type nodesKeys struct {
	Move, Up, Down, Left, Right, Next, Previous  key.Binding
	Type, More, Less, Erase, Open, Accept, Press key.Binding
	Add, Rename, Remove, Correct                 key.Binding
	Yes, No, Filter, Undo, Reset                 key.Binding
}

func newNodesKeys() nodesKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return nodesKeys{
		Move:     bind("arrows", "move", "none"),
		Up:       bind("up", "up", "up"),
		Down:     bind("down", "down", "down"),
		Left:     bind("left", "left", "left"),
		Right:    bind("right", "right", "right"),
		Next:     bind("tab", "next cell", "tab"),
		Previous: bind("shift+tab", "previous cell", "shift+tab"),
		Type:     bind("0-9 + -", "change", "none"),
		More:     bind("+", "more", "+", "="),
		Less:     bind("-", "less", "-"),
		Erase:    bind("backspace", "erase", "backspace", "ctrl+u", "ctrl+w"),
		Open:     bind("space", "choose", " "),
		Press:    bind("enter", "choose", "enter", " "),
		Accept:   bind("enter", "accept", "enter"),
		Add:      bind("a", "add a group", "a"),
		Rename:   bind("n", "rename", "n"),
		Remove:   bind("x", "remove", "x", "delete"),
		Correct:  bind("ctrl+y", "use the suggestion", "ctrl+y"),
		Yes:      bind("y", "yes, remove it", "y"),
		No:       bind("n", "no", "n", "esc"),
		Undo:     bind("esc", "undo", "esc"),
		Reset:    bind("F4", "default", "f4"),
		Filter:   bind("letters", "filter", "none"),
	}
}

func (k nodesKeys) listHints(p *Page) []key.Binding {
	switch {
	case p.remove != "":
		return []key.Binding{k.Yes, k.No}
	case p.list != nil:
		return []key.Binding{k.Press, k.Filter, k.Undo}
	case p.naming != nil, p.edit != nil:
		return []key.Binding{k.Accept, k.Undo}
	}
	hints := []key.Binding{k.Move}
	field, onCell := p.selectedField()
	switch {
	case onCell && field.Shape() == wizard.Number:
		hints = append(hints, k.Type)
	case onCell:
		hints = append(hints, k.Accept, k.Open)
	default:
		hints = append(hints, k.Press)
	}
	if p.isGroupSelected() {
		return append(hints, k.Remove, k.Rename)
	}
	if p.hasExtraGroups() {
		hints = append(hints, k.Add)
	}
	return hints
}

// Update handles keys and clicks; all other messages are ignored.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	if click, is := msg.(app.ClickMsg); is {
		mouse{p}.handleClick(click.Target)
		return nil
	}
	k, pressed := msg.(tea.KeyMsg)
	if !pressed {
		return nil
	}
	p.notice = ""
	switch {
	case p.remove != "":
		groupEditor{p}.handleRemoveKey(k)
	case k.Paste && p.naming == nil && p.list == nil && p.edit == nil:
		p.handleCellKey(k)
	case p.naming != nil:
		return groupEditor{p}.handleNameKey(k)
	case p.list != nil:
		typePicker{p}.handleListKey(k)
	case p.edit != nil && cellEditor{p}.handleEditKey(k):
	default:
		p.handleKey(k)
	}
	return nil
}

func (p *Page) handleKey(k tea.KeyMsg) {
	if p.handleMoveKey(k) {
		return
	}
	keys := p.keys
	switch {
	case key.Matches(k, keys.Correct):
		cellEditor{p}.applySuggestion()
	case p.isOnButtons():
		p.handleButtonKey(k)
	case p.hasExtraGroups() && key.Matches(k, keys.Add):
		cellEditor{p}.storeEdit()
		groupEditor{p}.openNamePrompt("")
	case p.isGroupSelected() && key.Matches(k, keys.Remove):
		cellEditor{p}.storeEdit()
		p.remove = p.listRows()[p.row].key
	case p.isGroupSelected() && key.Matches(k, keys.Rename):
		cellEditor{p}.storeEdit()
		groupEditor{p}.openNamePrompt(p.listRows()[p.row].key)
	default:
		p.handleCellKey(k)
	}
}

func (p *Page) handleMoveKey(k tea.KeyMsg) bool {
	keys := p.keys
	switch {
	case key.Matches(k, keys.Up):
		p.moveVertical(-1)
	case key.Matches(k, keys.Down):
		p.moveVertical(1)
	case key.Matches(k, keys.Left):
		p.moveHorizontal(-1, false)
	case key.Matches(k, keys.Right):
		p.moveHorizontal(1, false)
	case key.Matches(k, keys.Next):
		p.moveHorizontal(1, true)
	case key.Matches(k, keys.Previous):
		p.moveHorizontal(-1, true)
	default:
		return false
	}
	return true
}

func (p *Page) handleButtonKey(k tea.KeyMsg) {
	switch {
	case p.hasExtraGroups() && key.Matches(k, p.keys.Add), p.button == addButton && key.Matches(k, p.keys.Press):
		groupEditor{p}.openNamePrompt("")
	case key.Matches(k, p.keys.Press):
		p.session.RequestNext()
	}
}

func (p *Page) handleCellKey(k tea.KeyMsg) {
	field, there := p.selectedField()
	if !there {
		return
	}
	switch shape := field.Shape(); {
	case key.Matches(k, p.keys.Accept):
		p.moveVertical(1)
	case key.Matches(k, p.keys.Reset):
		cellEditor{p}.resetAnswer(field)
	case shape == wizard.Number:
		p.handleNumberKey(field, k)
	case !key.Matches(k, p.keys.Open):
	case shape == wizard.Switch:
		cellEditor{p}.toggleSwitch(field)
	default:
		typePicker{p}.openList(field)
	}
}

func (p *Page) handleNumberKey(field wizard.Field, k tea.KeyMsg) {
	switch {
	case key.Matches(k, p.keys.More):
		cellEditor{p}.addToNumber(field, 1)
	case key.Matches(k, p.keys.Less):
		cellEditor{p}.addToNumber(field, -1)
	case key.Matches(k, p.keys.Erase):
		cellEditor{p}.startEdit(field, p.session.Text(field), k)
	case k.Type == tea.KeyRunes && !k.Alt:
		cellEditor{p}.startEdit(field, "", k)
	}
}
