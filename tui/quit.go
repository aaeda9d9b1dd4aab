package tui

import (
	"exoshift/tui/cells"
	"exoshift/tui/components"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// openQuitDialog asks before leaving an interview.
func (s *wizardModel) openQuitDialog() {
	s.quitDialog = &components.Dialog{
		Theme: s.theme, Title: "Leave the wizard?", Back: "go back", Accept: "save and quit",
		Hint: "enter chooses, esc goes back, ctrl+c leaves", OnAccept: func() tea.Cmd { return tea.Quit },
	}
	if s.session.Interview.DraftPath == "" {
		s.quitDialog.Accept = "quit"
	}
}

func (s *wizardModel) handleQuitKey(k tea.KeyMsg) tea.Cmd {
	if key.Matches(k, s.keys.Leave) {
		s.quitDialog = nil
		return tea.Quit
	}
	stays, cmd := s.quitDialog.HandleKey(k)
	if !stays {
		s.quitDialog = nil
	}
	return cmd
}

// buildQuitDialog adds what follows if the operator leaves now.
func (s *wizardModel) buildQuitDialog() components.View {
	dialog, outcome := *s.quitDialog, "The answers are not kept. F9 writes them into a file, if you want to have them."
	if path := cells.SanitizeText(s.session.Interview.DraftPath, s.wizard.ASCII); path != "" {
		outcome = "Your answers are kept in " + path + ". The command that goes on with them is shown once you have left; to discard the draft, delete that folder."
	}
	if s.session.zoneRuns > 0 {
		outcome = "The machine in the zone is deleted first, which may take a minute. " + outcome
	}
	dialog.Outcomes = []string{outcome}
	return &dialog
}
