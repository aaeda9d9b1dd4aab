package app

import (
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"
)

// emptyScreen draws nothing.
type emptyScreen struct{}

func (emptyScreen) Init() tea.Cmd                         { return nil }
func (s emptyScreen) Update(tea.Msg) (tea.Model, tea.Cmd) { return s, nil }
func (emptyScreen) View() string                          { return "" }

func TestRequestSize_UntilKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for size, again := range map[tea.WindowSizeMsg]bool{
			{}: true, {Width: 80}: true, {Height: 24}: true, {Width: 80, Height: 24}: false,
		} {
			cmd := requestSize(size)
			if (cmd != nil) != again {
				t.Errorf("%v is measured again: %v", size, cmd != nil)
			}
			if cmd != nil && cmd() != (querySizeMsg{}) {
				t.Errorf("%v is waited for in vain", size)
			}
		}
		if _, cmd := (&root{screen: emptyScreen{}}).Update(querySizeMsg{}); cmd == nil {
			t.Error("nobody asks the terminal")
		}
	})
}
