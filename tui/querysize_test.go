package tui

import (
	"testing"
	"testing/synctest"

	tea "github.com/charmbracelet/bubbletea"
)

func TestATerminalIsMeasuredAgainUntilItHasASize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for size, again := range map[tea.WindowSizeMsg]bool{
			{}: true, {Width: 80}: true, {Height: 24}: true, {Width: 80, Height: 24}: false,
		} {
			cmd := requestSize(size)
			if (cmd != nil) != again {
				t.Errorf("%v is measured again: %v", size, cmd != nil)
			}
			if cmd != nil && cmd() != (querySize{}) {
				t.Errorf("%v is waited for in vain", size)
			}
		}
		if _, cmd := (&recoverModel{screen: newDashboard(Options{})}).Update(querySize{}); cmd == nil {
			t.Error("nobody asks the terminal")
		}
	})
}
