package form

import (
	"slices"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// choiceList is a list to choose from. Typed text filters it, and may itself be chosen where other values are allowed, too.
type choiceList struct {
	title         string
	all           []wizard.Choice
	filter        components.Input
	note          string // about the last key
	customAllowed bool
	cursor        int
	onSelect      func(value string)
}

func newChoiceList(title string, all []wizard.Choice, value string, free bool, picked func(string)) *choiceList {
	l := &choiceList{title: title, all: all, customAllowed: free, onSelect: picked, filter: components.NewInput(maxTextLength)}
	l.cursor = max(slices.IndexFunc(all, func(c wizard.Choice) bool { return c.Value == value }), 0)
	return l
}

// filterChoices returns the choices that match the filter: matches in the value first, then those in the note.
func (l *choiceList) filterChoices() []wizard.Choice {
	var shown, noted []wizard.Choice
	filter := l.filter.Value()
	for _, choice := range l.all {
		switch {
		case contains(choice.Value, filter):
			shown = append(shown, choice)
		case contains(choice.Note, filter):
			noted = append(noted, choice)
		}
	}
	shown = append(shown, noted...)
	if other := strings.TrimSpace(filter); l.customAllowed && other != "" && !slices.ContainsFunc(shown, func(c wizard.Choice) bool { return c.Value == other }) {
		shown = append(shown, wizard.Choice{Value: other, Note: "your input"})
	}
	return shown
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(part)))
}

func (l *choiceList) handleKey(k tea.KeyMsg, keys formKeys) (done bool) {
	shown := l.filterChoices()
	l.note = ""
	switch {
	case k.Paste:
		l.handleFilterKey(k)
	case key.Matches(k, keys.Close):
		return true
	case key.Matches(k, keys.Pick):
		if l.cursor < len(shown) {
			l.onSelect(shown[l.cursor].Value)
		}
		return l.cursor < len(shown)
	case key.Matches(k, keys.Up):
		l.cursor--
	case key.Matches(k, keys.Down):
		l.cursor++
	case k.Type == tea.KeyPgUp, k.Type == tea.KeyHome && l.filter.Value() == "":
		l.cursor = 0
	case k.Type == tea.KeyPgDown, k.Type == tea.KeyEnd && l.filter.Value() == "":
		l.cursor = len(shown) - 1
	default:
		l.handleFilterKey(k)
	}
	l.cursor = min(max(l.cursor, 0), max(len(l.filterChoices())-1, 0))
	return false
}

func (l *choiceList) handleFilterKey(k tea.KeyMsg) {
	before := l.filter.Value()
	l.note = l.filter.HandleKey(k)
	if l.filter.Value() != before {
		l.cursor = 0
	}
}

func (l *choiceList) render(t theme.Theme, ascii bool, width, height int) string {
	shown := l.filterChoices()
	filter := t.Dim.Render("   type to search")
	if word := l.filter.Value(); word != "" {
		room := min(max(width-ansi.StringWidth(l.title)-6, 8), ansi.StringWidth(word)+1)
		filter = "   " + t.Label.Render("/") + l.filter.Render(t, ascii, room)
	}
	lines := []string{" " + t.Bold.Render(l.title) + filter, t.Caution.Render("   " + l.note)}
	if height < 8 {
		lines = lines[:1]
	}
	room := max(height-len(lines), 1)
	from := min(max(l.cursor-room/2, 0), max(len(shown)-room, 0))
	for i := from; i < min(from+room, len(shown)); i++ {
		lines = append(lines, components.MarkTarget(t, choiceTarget+shown[i].Value, l.renderChoice(t, shown, i)))
	}
	if len(shown) == 0 {
		lines = append(lines, t.Dim.Render("   no match"))
	}
	return cells.Fill(lines, width, height)
}

func (l *choiceList) renderChoice(t theme.Theme, shown []wizard.Choice, i int) string {
	widest := 0
	for _, choice := range shown {
		widest = max(widest, min(ansi.StringWidth(choice.Value), 40))
	}
	value := cells.Fit(shown[i].Value, widest)
	note := "  " + t.Dim.Render(shown[i].Note)
	if i == l.cursor {
		return " " + t.Cursor + " " + t.Selected.Render(value) + note
	}
	return "   " + value + note
}
