package tui

import (
	"exoshift/tui/cells"
	"exoshift/tui/components"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

func (s *wizardModel) showHelp() { s.help, s.helpTop = true, 0 }

// Keys that scroll keep the help open while there is more of it; any other key closes it.
func (s *wizardModel) handleHelpKey(k tea.KeyMsg) {
	most := s.countHiddenHelp()
	if s.help = most > 0 && key.Matches(k, s.keys.Scroll); !s.help {
		return
	}
	by := map[tea.KeyType]int{tea.KeyUp: -1, tea.KeyDown: 1, tea.KeyPgUp: -s.height, tea.KeyPgDown: s.height}[k.Type]
	s.helpTop = min(max(min(s.helpTop, most)+by, 0), most)
}

func (s *wizardModel) countHiddenHelp() int {
	room := newWizardLayout(s.width, s.height, true).Main
	return max(len(s.buildHelp().RenderLines(room.W))-room.H, 0)
}

func (s *wizardModel) buildHelp() components.HelpText {
	if s.session == nil {
		return components.HelpText{Theme: s.theme, Text: startHelp}
	}
	return components.HelpText{Theme: s.theme, Text: s.currentPage().Help() + "\n" + keysHelp}
}

const startHelp = "Installing OpenShift on Exoscale\n" +
	"This program asks what the cluster should be, checks whether everything is in place, shows what it would create and what " +
	"that costs, and installs the cluster once you agree.\n" +
	"Needs: an account of Exoscale with an API key, a domain to which you or somebody else can add DNS records, and a pull " +
	"secret of Red Hat, unless you take the community's distribution OKD.\n" +
	"First: if you have never done this, rehearse. The same questions lead to the same installation on a simulated zone: " +
	"nothing real is touched, and nothing costs.\n" +
	"Keys: up and down move, enter or a digit chooses, q leaves."

const keysHelp = "Keys: up, down and tab move, enter accepts, esc goes back, alt+1 to alt+8 go to a screen. F9 writes the answers " +
	"file, ctrl+r asks Exoscale once more, ctrl+l draws the screen again. ctrl+c leaves; you are asked before."

type scrolledHelp struct {
	components.HelpText
	top int
}

// View draws as many lines as fit, and shows that there are more.
func (h scrolledHelp) View(width, height int) string {
	lines := h.RenderLines(width)
	lines = lines[min(h.top, max(len(lines)-height, 0)):]
	if len(lines) > height && height > 1 {
		lines[height-1] = " " + h.Theme.Dim.Render("↓ more")
	}
	return cells.Fill(lines, width, height)
}
