package nodes

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

type namePrompt struct {
	input   textinput.Model
	key     string // of the row, existing or new
	isNew   bool
	problem string
	spec    state.Spec // the answers with the group
}

// maxNameLength is more than a group's name may have, so that a longer one gets a proper error.
const maxNameLength = 60

// groupEditor adds, names and removes groups of machines.
type groupEditor struct{ *Page }

func (p groupEditor) openNamePrompt(row string) {
	spec := session.CopyGroups(p.session.Spec())
	naming := &namePrompt{input: components.NewInput(maxNameLength), key: row, isNew: row == ""}
	if naming.isNew {
		naming.key = fmt.Sprintf("%s[%d]", groupsKey, len(spec.Sizing.ExtraGroups))
		spec.Sizing.ExtraGroups = append(spec.Sizing.ExtraGroups, session.NewGroup(spec))
	}
	naming.spec = spec
	if field, there := naming.findField(); there && !naming.isNew {
		naming.input.SetValue(field.Get(spec))
	}
	p.naming = naming
}

func (g *namePrompt) findField() (wizard.Field, bool) {
	for _, field := range wizard.Nodes.ListFields(g.spec) {
		if field.Key == g.key+".name" {
			return field, true
		}
	}
	return wizard.Field{}, false
}

func (p groupEditor) handleNameKey(k tea.KeyMsg) tea.Cmd {
	g := p.naming
	field, there := g.findField()
	if !there || k.Type == tea.KeyEsc {
		p.naming = nil
		return nil
	}
	if k.Type == tea.KeyEnter {
		p.applyName(field)
		return nil
	}
	if !components.IsShortcut(g.input, k) {
		g.handleKey(field, k)
	}
	return nil
}

// Capitals become small letters, and spaces hyphens.
func (g *namePrompt) handleKey(field wizard.Field, k tea.KeyMsg) {
	g.problem = ""
	if k.Type == tea.KeySpace {
		k = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{' '}}
	}
	if k.Type == tea.KeyRunes && !k.Alt {
		name := strings.ReplaceAll(strings.ToLower(string(k.Runes)), " ", "-")
		typable := slices.DeleteFunc([]rune(name), func(r rune) bool { return !field.IsTypable(r) })
		if len(typable) < utf8.RuneCountInString(name) {
			g.problem = "a name has small letters, digits and hyphens"
		}
		if k.Runes = typable; len(typable) == 0 {
			return
		}
	}
	g.input, _ = g.input.Update(k) // the command only blinks the cursor
}

func (p groupEditor) applyName(field wizard.Field) {
	g := p.naming
	spec := session.CopyGroups(g.spec)
	if err := field.Set(&spec, g.input.Value()); err != nil {
		g.problem = p.session.FormatError(session.SplitProblems(field.Key, err)[0])
		return
	}
	for _, fault := range wizard.Check(spec) {
		if fault.Field == field.Key {
			g.problem = p.session.FormatError(fault)
			return
		}
	}
	p.naming = nil
	p.session.Edit(groupsKey, func(s *state.Spec) { s.Sizing.ExtraGroups = spec.Sizing.ExtraGroups })
	if g.isNew {
		p.Focus(g.key + ".count")
	}
}

func (g *namePrompt) renderLine(t theme.Theme) string {
	value := g.input.Value()
	at := min(g.input.Position(), len(value)) // names are ASCII
	what := "Name of the group: "
	if g.isNew {
		what = "Name of the new group: "
	}
	return t.Bold.Render(what) + t.Selected.Render("["+value[:at]+"_"+value[at:]+"]")
}

func (p groupEditor) handleRemoveKey(k tea.KeyMsg) {
	switch strings.ToLower(k.String()) {
	case "y":
		p.removeGroup()
	case "n", "esc":
		p.remove = ""
	default:
		p.notice = "y takes it away, n keeps it"
	}
}

func (p groupEditor) removeGroup() {
	gone := p.remove
	p.remove = ""
	for i := range p.session.Spec().Sizing.ExtraGroups {
		if fmt.Sprintf("%s[%d]", groupsKey, i) == gone {
			session.RemoveGroup(p.session.Session, i)
			break
		}
	}
	p.resetCursor()
}

func (p groupEditor) formatRemovePrompt() string {
	for _, row := range p.listRows() {
		if row.key == p.remove {
			return fmt.Sprintf("Take the group %s (%s of %s) out of the answers? y yes, n no", cells.Sanitize(row.title),
				text.Plural(parseNumber(row.value("count", p.spec())), "machine"), row.value("type", p.spec()))
		}
	}
	return "Take the group out of the answers? y yes, n no"
}

func parseNumber(text string) int {
	n := 0
	_, _ = fmt.Sscan(text, &n) // no number counts as zero
	return n
}
