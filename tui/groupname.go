package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"exoshift/state"
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// groupName asks for the name of an additional group. A new one has one machine of the workers' type, which is changed
// in its row.
type groupName struct {
	input  textinput.Model
	key    string // of the row, as it is or will be
	fresh  bool
	fault  string
	lately state.Spec // the answers with the group
}

// longestName is more than a group's name may have, so that what is wrong with a longer one can be told.
const longestName = 60

// group tells whether the cursor is on an additional group.
func (p *nodesPage) group() bool {
	rows := p.rows()
	return p.row < len(rows) && rows[p.row].group()
}

// asksGroups tells whether additional groups are asked for.
func (p *nodesPage) asksGroups() bool {
	return slices.ContainsFunc(p.talk.fields(wizard.Nodes), func(f wizard.Field) bool { return f.Key == groupsKey })
}

// nameGroup asks for the name of the group of a row, or with none for that of a new one.
func (p *nodesPage) nameGroup(row string) {
	spec := detached(p.talk.spec())
	naming := &groupName{input: newInput(longestName), key: row, fresh: row == ""}
	if naming.fresh {
		naming.key = fmt.Sprintf("%s[%d]", groupsKey, len(spec.Sizing.ExtraGroups))
		spec.Sizing.ExtraGroups = append(spec.Sizing.ExtraGroups, state.GroupSpec{MachineSpec: usualGroup(spec)})
	}
	naming.lately = spec
	if field, there := naming.field(); there && !naming.fresh {
		naming.input.SetValue(field.Get(spec))
	}
	p.naming = naming
}

// usualGroup is one machine like a worker.
func usualGroup(spec state.Spec) state.MachineSpec {
	usual := state.Default().Sizing.Workers
	return state.MachineSpec{Type: spec.Sizing.Workers.Type, Count: 1, RootDisk: usual.RootDisk}
}

// field is the field of the group's name.
func (g *groupName) field() (wizard.Field, bool) {
	for _, field := range wizard.Nodes.Fields(g.lately) {
		if field.Key == g.key+".name" {
			return field, true
		}
	}
	return wizard.Field{}, false
}

// pressNaming takes a key while a name is asked for.
func (p *nodesPage) pressNaming(k tea.KeyMsg) tea.Cmd {
	g := p.naming
	field, there := g.field()
	if !there || k.Type == tea.KeyEsc {
		p.naming = nil
		return nil
	}
	if k.Type == tea.KeyEnter {
		p.named(field)
		return nil
	}
	if !isShortcut(g.input, k) {
		g.write(field, k)
	}
	return nil
}

// write takes a key that changes the name. Capital letters become small ones, and spaces hyphens.
func (g *groupName) write(field wizard.Field, k tea.KeyMsg) {
	g.fault = ""
	if k.Type == tea.KeySpace {
		k = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{' '}}
	}
	if k.Type == tea.KeyRunes && !k.Alt {
		name := strings.ReplaceAll(strings.ToLower(string(k.Runes)), " ", "-")
		typable := slices.DeleteFunc([]rune(name), func(r rune) bool { return !field.Typable(r) })
		if len(typable) < utf8.RuneCountInString(name) {
			g.fault = "a name has small letters, digits and hyphens"
		}
		if k.Runes = typable; len(typable) == 0 {
			return
		}
	}
	g.input, _ = g.input.Update(k) // what it wants done is blinking
}

// named gives the group its name, if it is a good one.
func (p *nodesPage) named(field wizard.Field) {
	g := p.naming
	spec := detached(g.lately)
	if err := field.Set(&spec, g.input.Value()); err != nil {
		g.fault = p.talk.sentence(faultsOf(field.Key, err)[0])
		return
	}
	for _, fault := range wizard.Check(spec) {
		if fault.Field == field.Key {
			g.fault = p.talk.sentence(fault)
			return
		}
	}
	p.naming = nil
	p.talk.change(groupsKey, func(s *state.Spec) { s.Sizing.ExtraGroups = spec.Sizing.ExtraGroups })
	if g.fresh {
		p.Seek(g.key + ".count")
	}
}

// line shows the name as it is typed.
func (g *groupName) line(t pane.Theme) string {
	value := g.input.Value()
	at := min(g.input.Position(), len(value)) // names are ASCII
	what := "Name of the group: "
	if g.fresh {
		what = "Name of the new group: "
	}
	return t.Bold.Render(what) + t.Selected.Render("["+value[:at]+"_"+value[at:]+"]")
}

// pressRemove takes the answer whether a group is taken away.
func (p *nodesPage) pressRemove(k tea.KeyMsg) {
	switch strings.ToLower(k.String()) {
	case "y":
		p.removeGroup()
	case "n", "esc":
		p.remove = ""
	default:
		p.notice = "y takes it away, n keeps it"
	}
}

// removeGroup takes a group out of the answers. The others move up, so what was refused of any is forgotten.
func (p *nodesPage) removeGroup() {
	gone := p.remove
	p.remove = ""
	for key := range p.talk.rejected {
		if within(key, groupsKey) {
			delete(p.talk.rejected, key)
		}
	}
	for key := range p.talk.refused {
		if within(key, groupsKey) {
			delete(p.talk.refused, key)
		}
	}
	p.talk.change(groupsKey, func(s *state.Spec) {
		for i := range s.Sizing.ExtraGroups {
			if fmt.Sprintf("%s[%d]", groupsKey, i) == gone {
				s.Sizing.ExtraGroups = slices.Delete(slices.Clone(s.Sizing.ExtraGroups), i, i+1)
				break
			}
		}
	})
	p.settle()
}

// removing asks whether a group is to go.
func (p *nodesPage) removing() string {
	for _, row := range p.rows() {
		if row.key == p.remove {
			return fmt.Sprintf("Take the group %s (%s of %s) out of the answers? y yes, n no", pane.Clean(row.title),
				pane.Plural(number(row.value("count", p.spec())), "machine"), row.value("type", p.spec()))
		}
	}
	return "Take the group out of the answers? y yes, n no"
}

func number(text string) int {
	n := 0
	_, _ = fmt.Sscan(text, &n) // what is no number is none
	return n
}
