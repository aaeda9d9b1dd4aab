package checks

import (
	"strings"

	"exoshift/tui/components"
	"exoshift/tui/components/preflight"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// Details is a popup with everything about the check at the cursor of a board.
type Details struct {
	Theme    theme.Theme
	Board    *Board
	Copy     func(row *Row) tea.Cmd    // the command that reproduces the result
	CopyText func(text string) tea.Cmd // everything
	Move     func(by int)              // selects the next check, or the previous one
	text     components.TextPopup
}

// NewDetails returns the popup of a board.
func NewDetails(d Details) *Details {
	d.text.Theme = d.Theme
	return &d
}

func (d *Details) renderLines(width int) []string {
	row := d.Board.SelectedRow()
	if row == nil {
		return nil
	}
	details := preflight.EndpointDetails{
		Theme: d.Theme, Endpoint: &row.Endpoint, Sources: d.Board.sourceNames, SourceIndex: d.Board.ResolveSource(row),
	}
	return append([]string{""}, details.RenderAll(width)...)
}

// copyWidth is in cells; a command or an address is rarely longer.
const copyWidth = 200

// formatText returns everything as plain text.
func (d *Details) formatText() string {
	var lines []string
	for _, line := range d.renderLines(copyWidth) {
		lines = append(lines, strings.TrimRight(ansi.Strip(line), " "))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// HandleKey scrolls, copies, or moves to another check; esc, enter and q close the popup.
func (d *Details) HandleKey(k tea.KeyMsg) (stays bool, cmd tea.Cmd) {
	keys := components.NewDocumentKeys()
	switch {
	case key.Matches(k, keys.Back), k.Type == tea.KeyEnter, string(k.Runes) == "q":
		return false, nil
	case key.Matches(k, keys.Next):
		d.move(1)
	case key.Matches(k, keys.Previous):
		d.move(-1)
	case string(k.Runes) == "c":
		if row := d.Board.SelectedRow(); row != nil {
			return true, d.Copy(row)
		}
	case string(k.Runes) == "y":
		return true, d.CopyText(d.formatText())
	default:
		d.text.Lines = d.renderLines
		d.text.HandleKey(k)
	}
	return true, nil
}

func (d *Details) move(by int) {
	d.Move(by)
	d.text = components.TextPopup{Theme: d.Theme}
}

// Hints returns the keys of the popup.
func (d *Details) Hints() []key.Binding {
	return []key.Binding{
		components.NewHint("esc", "back"), components.NewHint("up/down", "scroll"), components.NewHint("tab", "next check"),
		components.NewHint("c", "copy command"), components.NewHint("y", "copy all"),
	}
}

// IsTyping returns false: letters are shortcuts.
func (d *Details) IsTyping() bool { return false }

// View draws as many lines as fit.
func (d *Details) View(width, height int) string {
	d.text.Lines = d.renderLines
	return d.text.View(width, height)
}
