package nodes

import (
	"fmt"
	"strings"

	"exoshift/internal/text"
	"exoshift/state"
	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

type namePrompt struct {
	input   components.Input
	key     string // of the row, existing or new
	isNew   bool
	problem string
	meant   string     // what was probably meant by a rejected name
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
	if !k.Paste && k.Type == tea.KeyEnter {
		p.applyName(field)
		return nil
	}
	if key.Matches(k, p.keys.Correct) && g.meant != "" {
		g.input.SetValue(g.meant)
		g.problem, g.meant = "", ""
		return nil
	}
	g.handleKey(field, k)
	return nil
}

func (g *namePrompt) handleKey(field wizard.Field, k tea.KeyMsg) {
	if g.problem = g.input.HandleKey(k); g.problem != "" {
		return
	}
	if strings.ContainsFunc(strings.TrimSpace(g.input.Value()), func(r rune) bool { return !field.IsTypable(r) }) {
		g.problem = "use lowercase letters, digits and hyphens"
	}
}

func (p groupEditor) applyName(field wizard.Field) {
	g := p.naming
	spec := session.CopyGroups(g.spec)
	if err := field.Set(&spec, g.input.Value()); err != nil {
		problem := session.SplitProblems(field.Key, err)[0]
		g.problem, g.meant = p.session.FormatError(problem), problem.Suggestion
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

func (g *namePrompt) renderLine(t theme.Theme, ascii bool, width int) string {
	what := "Group name: "
	if g.isNew {
		what = "New group name: "
	}
	return t.Bold.Render(what) + t.Focus.Render("[") + g.input.Render(t, ascii, min(max(width-len(what)-2, 8), ansi.StringWidth(g.input.Value())+1)) + t.Focus.Render("]")
}

func (p groupEditor) handleRemoveKey(k tea.KeyMsg) {
	switch strings.ToLower(k.String()) {
	case "y":
		p.removeGroup()
	case "n", "esc":
		p.remove = ""
	default:
		p.notice = "y removes it, n keeps it"
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
			return fmt.Sprintf("Remove the group %s (%s of %s)? y yes, n no", cells.Sanitize(row.title),
				text.Plural(parseNumber(row.value("count", p.spec())), "machine"), row.value("type", p.spec()))
		}
	}
	return "Remove the group? y yes, n no"
}

func parseNumber(text string) int {
	n := 0
	_, _ = fmt.Sscan(text, &n) // no number counts as zero
	return n
}
