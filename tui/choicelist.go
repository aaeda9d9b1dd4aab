package tui

import (
	"slices"
	"strings"
	"unicode/utf8"

	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// choiceList is a list to choose from. What is typed filters it, and may itself be chosen where other values are
// allowed, too.
type choiceList struct {
	title  string
	all    []wizard.Choice
	filter string
	free   bool
	cursor int
	picked func(value string)
}

// newChoiceList returns a list with the cursor on a value.
func newChoiceList(title string, all []wizard.Choice, value string, free bool, picked func(string)) *choiceList {
	l := &choiceList{title: title, all: all, free: free, picked: picked}
	l.cursor = max(slices.IndexFunc(all, func(c wizard.Choice) bool { return c.Value == value }), 0)
	return l
}

// shown are the choices that the filter leaves: those whose value has it come first, then those whose note has it.
func (l *choiceList) shown() []wizard.Choice {
	var shown, noted []wizard.Choice
	for _, choice := range l.all {
		switch {
		case contains(choice.Value, l.filter):
			shown = append(shown, choice)
		case contains(choice.Note, l.filter):
			noted = append(noted, choice)
		}
	}
	shown = append(shown, noted...)
	if other := strings.TrimSpace(l.filter); l.free && other != "" && !slices.ContainsFunc(shown, func(c wizard.Choice) bool { return c.Value == other }) {
		shown = append(shown, wizard.Choice{Value: other, Note: "what you typed"})
	}
	return shown
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(part)))
}

// press takes a key and tells whether the list is done with.
func (l *choiceList) press(k tea.KeyMsg, keys formKeys) (done bool) {
	shown := l.shown()
	switch {
	case key.Matches(k, keys.Close):
		return true
	case key.Matches(k, keys.Pick):
		if l.cursor < len(shown) {
			l.picked(shown[l.cursor].Value)
		}
		return l.cursor < len(shown)
	case key.Matches(k, keys.Up):
		l.cursor--
	case key.Matches(k, keys.Down):
		l.cursor++
	case k.Type == tea.KeyPgUp, k.Type == tea.KeyHome:
		l.cursor = 0
	case k.Type == tea.KeyPgDown, k.Type == tea.KeyEnd:
		l.cursor = len(shown) - 1
	default:
		l.write(k)
	}
	l.cursor = min(max(l.cursor, 0), max(len(l.shown())-1, 0))
	return false
}

// write changes the filter.
func (l *choiceList) write(k tea.KeyMsg) {
	before := l.filter
	switch k.Type {
	case tea.KeyBackspace:
		_, last := utf8.DecodeLastRuneInString(l.filter)
		l.filter = l.filter[:len(l.filter)-last]
	case tea.KeyRunes, tea.KeySpace:
		if longer := l.filter + printable(string(k.Runes)); len(longer) <= longestFilter && !k.Alt {
			l.filter = longer
		}
	}
	if l.filter != before {
		l.cursor = 0
	}
}

// view draws the list: at its head what it is about and the filter.
func (l *choiceList) view(t pane.Theme, width, height int) string {
	shown := l.shown()
	filter := t.Dim.Render("   type to search")
	if l.filter != "" {
		filter = "   " + t.Label.Render("/") + l.filter + cursorOver(t, nil)
	}
	lines := []string{" " + t.Bold.Render(l.title) + filter, ""}
	if height < 8 {
		lines = lines[:1]
	}
	room := max(height-len(lines), 1)
	from := min(max(l.cursor-room/2, 0), max(len(shown)-room, 0))
	for i := from; i < min(from+room, len(shown)); i++ {
		lines = append(lines, l.line(t, shown, i))
	}
	if len(shown) == 0 {
		lines = append(lines, t.Dim.Render("   nothing of that name"))
	}
	return pane.Fill(lines, width, height)
}

func (l *choiceList) line(t pane.Theme, shown []wizard.Choice, i int) string {
	widest := 0
	for _, choice := range shown {
		widest = max(widest, min(ansi.StringWidth(choice.Value), 40))
	}
	value := pane.Fit(shown[i].Value, widest)
	note := "  " + t.Dim.Render(shown[i].Note)
	if i == l.cursor {
		return " " + t.Prong + " " + t.Selected.Render(value) + note
	}
	return "   " + value + note
}

func (f *form) pressList(k tea.KeyMsg) {
	if list := f.list; list.press(k, f.keys) && f.list == list {
		f.list = nil
	}
}

// pressChoice takes a key on a row with choices: enter keeps what is there, a letter searches the list.
func (f *form) pressChoice(field wizard.Field, k tea.KeyMsg) {
	switch {
	case k.Type == tea.KeyEnter && len(f.talk.red(field.Key)) == 0 && f.answered(field):
		f.onward()
	case k.Type == tea.KeyEnter, key.Matches(k, f.keys.List):
		f.openChoices(field)
	case k.Type == tea.KeyRunes && !k.Alt:
		f.openChoices(field)
		f.list.write(k)
	}
}

func (f *form) openChoices(field wizard.Field) {
	choices := f.talk.choices(field)
	if !field.RequiredBy(f.talk.spec()) {
		choices = append([]wizard.Choice{{Value: "", Note: "none"}}, choices...)
	}
	f.list = newChoiceList(field.Title, choices, f.talk.text(field), len(field.Choices) == 0, func(value string) {
		f.answer(field.Key, value)
		if len(f.talk.refused[field.Key]) == 0 {
			f.list = nil
			f.onward()
		}
	})
}
