package tui

import (
	"slices"

	"exoshift/tui/cells"
	"exoshift/tui/components"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// popup covers a page until it is answered or closed.
type popup interface {
	components.View
	// handleKey handles a key and reports whether the popup stays open.
	handleKey(k tea.KeyMsg) (stays bool, cmd tea.Cmd)
	listHints() []key.Binding
	isTyping() bool // letters are text
}

func newHint(name, does string) key.Binding {
	return key.NewBinding(key.WithKeys(name), key.WithHelp(name, does))
}

// confirmDialog asks before something that costs or ends something; its first choice, the default, is to go back.
type confirmDialog struct {
	theme        theme.Theme
	title, text  string
	back, accept string
	chosen       bool
	onAccept     func() tea.Cmd
}

func (q *confirmDialog) handleKey(k tea.KeyMsg) (bool, tea.Cmd) {
	keys := newDocumentKeys()
	switch {
	case key.Matches(k, keys.Accept) && q.chosen, string(k.Runes) == "y":
		return false, q.onAccept()
	case key.Matches(k, keys.Accept), k.Type == tea.KeyEsc, slices.Contains([]string{"n", "q"}, string(k.Runes)):
		return false, nil
	case key.Matches(k, keys.Up), key.Matches(k, keys.Down), key.Matches(k, keys.Next), key.Matches(k, keys.Previous):
		q.chosen = !q.chosen
	}
	return true, nil
}

func (q *confirmDialog) listHints() []key.Binding {
	return []key.Binding{newHint("enter", "choose"), newHint("up/down", "move"), newHint("esc", "go back")}
}

func (q *confirmDialog) isTyping() bool { return false }

// View draws the question. The most important lines come first, should there be little room.
func (q *confirmDialog) View(width, height int) string {
	choices := leaveView{theme: q.theme}
	lines := []string{"", " " + q.theme.Bold.Render(q.title), ""}
	lines = append(lines, cells.Wrap(q.text, " ", min(width, 90))...)
	lines = append(lines, "", choices.renderChoice(q.back+" (default)", !q.chosen), choices.renderChoice(q.accept, q.chosen))
	if len(lines) > height {
		lines = append(lines[len(lines)-2:], lines[1:len(lines)-3]...)
	}
	return cells.Fill(lines, width, height)
}

// textPopup shows a text that may be longer than the screen.
type textPopup struct {
	theme  theme.Theme
	lines  func(width int) []string
	onCopy func() tea.Cmd // nil: there is nothing to copy
	offset int
	size   Rect
}

func (r *textPopup) handleKey(k tea.KeyMsg) (bool, tea.Cmd) {
	keys := newDocumentKeys()
	switch {
	case key.Matches(k, keys.Up):
		r.offset--
	case key.Matches(k, keys.Down):
		r.offset++
	case key.Matches(k, keys.PageUp):
		r.offset -= max(r.size.H-1, 1)
	case key.Matches(k, keys.PageDown):
		r.offset += max(r.size.H-1, 1)
	case key.Matches(k, keys.Home):
		r.offset = 0
	case key.Matches(k, keys.End):
		r.offset = len(r.lines(r.size.W))
	case string(k.Runes) == "c" && r.onCopy != nil:
		return true, r.onCopy()
	default:
		return false, nil
	}
	r.offset = r.limitOffset(r.offset, len(r.lines(r.size.W)))
	return true, nil
}

func (r *textPopup) limitOffset(offset, lines int) int {
	return min(max(offset, 0), max(lines-r.size.H, 0))
}

func (r *textPopup) listHints() []key.Binding {
	hints := []key.Binding{newHint("up/down", "scroll"), newHint("esc", "close")}
	if r.onCopy != nil {
		hints = append([]key.Binding{newHint("c", "copy")}, hints...)
	}
	return hints
}

func (r *textPopup) isTyping() bool { return false }

// View draws as many lines as fit, and shows that there are more.
func (r *textPopup) View(width, height int) string {
	r.size = Rect{W: width, H: height}
	lines := r.lines(width)
	r.offset = r.limitOffset(r.offset, len(lines))
	lines = slices.Clone(lines[r.offset:])
	if len(lines) > height && height > 1 {
		lines[height-1] = " " + r.theme.Dim.Render("↓ more")
	}
	return cells.Fill(lines, width, height)
}
