package tui

import (
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// form asks the fields of a screen, one a row.
type form struct {
	talk   *talk
	screen wizard.Screen
	cursor int
}

func newForm(t *talk, screen wizard.Screen) *form { return &form{talk: t, screen: screen} }

func (f *form) Update(msg tea.Msg) tea.Cmd {
	if k, is := msg.(tea.KeyMsg); is && k.Type == tea.KeyEnter {
		f.talk.ahead()
	}
	return nil
}

func (f *form) View(width, height int) string {
	var lines []string
	for _, field := range f.talk.fields(f.screen) {
		lines = append(lines, " "+pane.Fit(field.Title, 24)+" "+f.talk.text(field))
	}
	return pane.Fill(lines, width, height)
}

func (f *form) Enter() tea.Cmd       { return nil }
func (f *form) Leave() bool          { return true }
func (f *form) Mark() pane.Status    { return f.talk.status(f.screen) }
func (f *form) Hints() []key.Binding { return nil }
func (f *form) Help() string         { return "" }
