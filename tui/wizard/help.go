package wizard

import (
	"exoshift/tui/cells"
	"exoshift/tui/components"
)

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
