package tui

import (
	"slices"

	"exoshift/tui/pane"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// popup is something that is open in the place of a page until it is answered or closed.
type popup interface {
	pane.View
	// press takes a key and tells whether the popup stays open.
	press(k tea.KeyMsg) (stays bool, cmd tea.Cmd)
	hints() []key.Binding
	types() bool // letters are text
}

func hint(name, does string) key.Binding {
	return key.NewBinding(key.WithKeys(name), key.WithHelp(name, does))
}

// question asks before something that costs or ends something; its first choice, the default, is to go back.
type question struct {
	theme        pane.Theme
	title, text  string
	back, accept string
	chosen       bool
	yes          func() tea.Cmd
}

func (q *question) press(k tea.KeyMsg) (bool, tea.Cmd) {
	keys := newDocumentKeys()
	switch {
	case key.Matches(k, keys.Accept) && q.chosen, string(k.Runes) == "y":
		return false, q.yes()
	case key.Matches(k, keys.Accept), k.Type == tea.KeyEsc, slices.Contains([]string{"n", "q"}, string(k.Runes)):
		return false, nil
	case key.Matches(k, keys.Up), key.Matches(k, keys.Down), key.Matches(k, keys.Next), key.Matches(k, keys.Previous):
		q.chosen = !q.chosen
	}
	return true, nil
}

func (q *question) hints() []key.Binding {
	return []key.Binding{hint("enter", "choose"), hint("up/down", "move"), hint("esc", "go back")}
}

func (q *question) types() bool { return false }

// View draws the question. What matters most comes first, should there be little room.
func (q *question) View(width, height int) string {
	choices := leaveView{theme: q.theme}
	lines := []string{"", " " + q.theme.Bold.Render(q.title), ""}
	lines = append(lines, pane.Wrap(q.text, " ", min(width, 90))...)
	lines = append(lines, "", choices.choice(q.back+" (default)", !q.chosen), choices.choice(q.accept, q.chosen))
	if len(lines) > height {
		lines = append(lines[len(lines)-2:], lines[1:len(lines)-3]...)
	}
	return pane.Fill(lines, width, height)
}

// reader shows a text that may be longer than the screen.
type reader struct {
	theme  pane.Theme
	lines  func(width int) []string
	copies func() tea.Cmd // nil: there is nothing to copy
	offset int
	size   Rect
}

func (r *reader) press(k tea.KeyMsg) (bool, tea.Cmd) {
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
	case string(k.Runes) == "c" && r.copies != nil:
		return true, r.copies()
	default:
		return false, nil
	}
	r.offset = r.within(r.offset, len(r.lines(r.size.W)))
	return true, nil
}

func (r *reader) within(offset, lines int) int { return min(max(offset, 0), max(lines-r.size.H, 0)) }

func (r *reader) hints() []key.Binding {
	hints := []key.Binding{hint("up/down", "scroll"), hint("esc", "close")}
	if r.copies != nil {
		hints = append([]key.Binding{hint("c", "copy")}, hints...)
	}
	return hints
}

func (r *reader) types() bool { return false }

// View draws as many lines as there is room for, and says that there are more.
func (r *reader) View(width, height int) string {
	r.size = Rect{W: width, H: height}
	lines := r.lines(width)
	r.offset = r.within(r.offset, len(lines))
	lines = slices.Clone(lines[r.offset:])
	if len(lines) > height && height > 1 {
		lines[height-1] = " " + r.theme.Dim.Render("↓ more")
	}
	return pane.Fill(lines, width, height)
}
