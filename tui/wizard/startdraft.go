package wizard

import (
	"slices"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// draftKeys are what can be done with a draft on the start screen, besides going on with it.
type draftKeys struct{ View, Rename, Discard key.Binding }

func newDraftKeys() draftKeys {
	bind := func(help, does string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, does))
	}
	return draftKeys{View: bind("v", "view", "v"), Rename: bind("r", "rename", "r"), Discard: bind("x", "discard", "x", "delete")}
}

// selectedDraft returns the draft under the cursor, or nil.
func (v *startScreen) selectedDraft() *StartDraft {
	if v.cursor >= len(v.options) {
		return nil
	}
	return v.options[v.cursor].Draft
}

func (v *startScreen) listDraftHints() []key.Binding {
	draft, keys := v.selectedDraft(), newDraftKeys()
	if draft == nil {
		return nil
	}
	hints := []key.Binding{keys.View, keys.Discard}
	if draft.Rename != nil {
		hints = slices.Insert(hints, 1, keys.Rename)
	}
	return hints
}

// handleDraftKey opens a popup about the draft under the cursor; it reports whether k is such a key.
func (v *startScreen) handleDraftKey(k tea.KeyMsg) bool {
	draft, keys := v.selectedDraft(), newDraftKeys()
	switch {
	case draft == nil:
		return false
	case key.Matches(k, keys.View):
		v.viewDraft(draft)
	case key.Matches(k, keys.Rename) && draft.Rename != nil:
		v.popups.Open = newNameForm(v.theme, v.ascii, draft.Name, v.renameDraft)
	case key.Matches(k, keys.Discard):
		v.popups.Open = &components.Dialog{
			Theme: v.theme, Title: "Discard this draft?", Back: "Keep it", Accept: "Discard it",
			Text: v.options[v.cursor].Title + ": its answers, and the secrets that were typed for it, are deleted. Nothing else is.",
			OnAccept: func() tea.Cmd {
				v.discardDraft(draft)
				return nil
			},
		}
	default:
		return false
	}
	return true
}

func (v *startScreen) viewDraft(draft *StartDraft) {
	answers, err := draft.Read()
	if v.err = err; err != nil {
		return
	}
	v.popups.Open = &components.TextPopup{Theme: v.theme, Lines: func(width int) []string {
		var lines []string
		for line := range strings.SplitSeq(strings.TrimRight(answers, "\n"), "\n") {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines = append(lines, cells.Wrap(cells.SanitizeText(line, v.ascii), " "+indent, width)...)
		}
		return lines
	}}
}

// renameDraft returns why the draft under the cursor cannot have that name, or "".
func (v *startScreen) renameDraft(name string) (problem string) {
	draft := v.selectedDraft()
	title, err := draft.Rename(name)
	if err != nil {
		return err.Error()
	}
	draft.Name, v.options[v.cursor].Title = name, cells.SanitizeText(title, v.ascii)
	return ""
}

func (v *startScreen) discardDraft(draft *StartDraft) {
	if v.err = draft.Discard(); v.err != nil {
		return
	}
	v.options = slices.Delete(v.options, v.cursor, v.cursor+1)
	v.cursor = min(v.cursor, len(v.options)-1)
}

// nameForm is a popup that asks for the name of a draft.
type nameForm struct {
	theme   theme.Theme
	ascii   bool
	name    components.Input
	problem string
	rename  func(name string) (problem string)
}

const maxDraftName = 60

func newNameForm(theme theme.Theme, ascii bool, name string, rename func(string) string) *nameForm {
	f := &nameForm{theme: theme, ascii: ascii, name: components.NewInput(maxDraftName), rename: rename}
	f.name.SetValue(name)
	return f
}

// IsTyping returns true: letters are text.
func (f *nameForm) IsTyping() bool { return true }

// Hints returns the keys of the form.
func (f *nameForm) Hints() []key.Binding {
	return []key.Binding{components.NewHint("enter", "rename"), components.NewHint("esc", "cancel")}
}

// HandleKey edits the name; it reports whether the form stays open.
func (f *nameForm) HandleKey(k tea.KeyMsg) (stays bool, cmd tea.Cmd) {
	switch k.Type {
	case tea.KeyEsc:
		return false, nil
	case tea.KeyEnter:
		f.problem = f.rename(strings.TrimSpace(f.name.Value()))
		return f.problem != "", nil
	}
	f.problem = f.name.HandleKey(k)
	return true, nil
}

// View draws the form.
func (f *nameForm) View(width, height int) string {
	t := f.theme
	lines := []string{
		"", " " + t.Bold.Render("Name of this draft"), "",
		" " + t.Focus.Render(t.Cursor) + " " + f.name.Render(t, f.ascii, max(width-5, 1)), "",
	}
	style, note := t.Dim, "Shown in the list of drafts. It does not change the cluster's name. Without a name, the draft is listed by its cluster."
	if f.problem != "" {
		style, note = t.Caution, cells.SanitizeText(f.problem, f.ascii)
	}
	for _, line := range cells.Wrap(note, " ", min(width, 90)) {
		lines = append(lines, style.Render(line))
	}
	return cells.Fill(lines, width, height)
}
