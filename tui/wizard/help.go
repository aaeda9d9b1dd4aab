package wizard

import (
	"exoshift/tui/cells"
	"exoshift/tui/components"
)

const startHelp = "Installing OpenShift on Exoscale\n" +
	"The wizard asks for the cluster's settings, checks all requirements, shows what will be created and its " +
	"cost, and installs the cluster after you confirm.\n" +
	"Required: an Exoscale account with an API key, a domain where you can add DNS records, and a Red Hat pull " +
	"secret (not for OKD, the community distribution).\n" +
	"New here? Rehearse first: the same questions and the same installation on a simulated zone; " +
	"no real resources, no cost.\n" +
	"Keys: up and down move, enter or a digit selects, q quits. A click selects, a second one opens; m switches the mouse off."

const keysHelp = "Keys: up, down and tab move, enter accepts, esc goes back, alt+1 to alt+8 go to a screen. F4 resets an answer to its default, " +
	"F9 writes the answers file, ctrl+r retries the lookups, ctrl+l redraws the screen. ctrl+c quits after a confirmation.\n" +
	"Mouse: a click selects a row, a second one opens it; the wheel moves. m, or alt+m in a text, switches the mouse off, so that the " +
	"terminal itself selects text.\n" +
	"In a text: ctrl+z undoes, ctrl+u and ctrl+k erase to its start and end, ctrl+w a word, alt+b and alt+f move by words, home and end " +
	"to its ends."

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
