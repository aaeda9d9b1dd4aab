package components

import (
	"slices"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Dialog asks before something that costs or ends something; its first choice, the default, is to go back.
type Dialog struct {
	Theme        theme.Theme
	Title, Text  string
	Back, Accept string   // the two choices
	Outcomes     []string // what follows, in sentences: with them the choices come first
	Hint         string   // about the keys, below the outcomes
	OnAccept     func() tea.Cmd
	accepted     bool // the choice under the cursor
}

// HandleKey moves the cursor or answers, and reports whether the dialog stays open.
func (d *Dialog) HandleKey(k tea.KeyMsg) (stays bool, cmd tea.Cmd) {
	keys := NewDocumentKeys()
	switch {
	case key.Matches(k, keys.Accept) && d.accepted, string(k.Runes) == "y":
		return false, d.OnAccept()
	case key.Matches(k, keys.Accept), key.Matches(k, keys.Back), slices.Contains([]string{"n", "q"}, string(k.Runes)):
		return false, nil
	case key.Matches(k, keys.Up), key.Matches(k, keys.Down), key.Matches(k, keys.Next), key.Matches(k, keys.Previous):
		d.accepted = !d.accepted
	}
	return true, nil
}

// IsAccepted reports whether the cursor is on the second choice.
func (d *Dialog) IsAccepted() bool { return d.accepted }

// Hints returns the keys of the dialog.
func (d *Dialog) Hints() []key.Binding {
	return []key.Binding{NewHint("enter", "choose"), NewHint("up/down", "move"), NewHint("esc", "cancel")}
}

// IsTyping returns false: letters answer.
func (d *Dialog) IsTyping() bool { return false }

// maxTextWidth is that of sentences on wide screens.
const maxTextWidth = 90

// View draws the question. The most important lines come first, should there be little room.
func (d *Dialog) View(width, height int) string {
	if len(d.Outcomes) > 0 {
		return d.renderOutcomes(width, height)
	}
	lines := []string{"", " " + d.Theme.Bold.Render(d.Title), ""}
	lines = append(lines, cells.Wrap(d.Text, " ", min(width, maxTextWidth))...)
	lines = append(append(lines, ""), d.renderChoices()...)
	if len(lines) > height {
		lines = append(lines[len(lines)-2:], lines[1:len(lines)-3]...)
	}
	return cells.Fill(lines, width, height)
}

func (d *Dialog) renderOutcomes(width, height int) string {
	lines := append([]string{"", " " + d.Theme.Bold.Render(d.Title), ""}, d.renderChoices()...)
	lines = append(lines, "")
	for _, sentence := range d.Outcomes {
		lines = append(lines, cells.Wrap(sentence, " ", min(width, maxTextWidth))...)
	}
	lines = append(lines, "", " "+d.Theme.Dim.Render(d.Hint))
	if len(lines) > height {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}
	if height < 3 {
		lines = lines[1:]
	}
	return cells.Fill(lines, width, height)
}

func (d *Dialog) renderChoices() []string {
	return []string{
		MarkTarget(d.Theme, cells.KeyTarget+"n", renderChoice(d.Theme, d.Back+" (default)", !d.accepted)),
		MarkTarget(d.Theme, cells.KeyTarget+"y", renderChoice(d.Theme, d.Accept, d.accepted)),
	}
}

// renderChoice draws one of several choices.
func renderChoice(t theme.Theme, text string, chosen bool) string {
	if chosen {
		return " " + t.Cursor + " " + t.Selected.Render(" "+text+" ")
	}
	return "    " + text
}
