package components

import (
	"slices"
	"strings"

	"exoshift/tui/cells"
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/viewport"
	tea "github.com/charmbracelet/bubbletea"
)

// Popup covers a page until it is answered or closed.
type Popup interface {
	View
	// HandleKey handles a key and reports whether the popup stays open.
	HandleKey(k tea.KeyMsg) (stays bool, cmd tea.Cmd)
	Hints() []key.Binding
	IsTyping() bool // letters are text
}

// Popups holds the popup that covers a page; nil while none is open.
type Popups struct{ Open Popup }

// HandleKey passes a key to the popup. Its handler may open another one, which stays.
func (p *Popups) HandleKey(k tea.KeyMsg) tea.Cmd {
	open := p.Open
	stays, cmd := open.HandleKey(k)
	if !stays && p.Open == open {
		p.Open = nil
	}
	return cmd
}

// TextPopup shows a text that may be longer than the screen.
type TextPopup struct {
	Theme  theme.Theme
	Lines  func(width int) []string
	OnCopy func() tea.Cmd // nil: there is nothing to copy
	scroll viewport.Model
}

// HandleKey scrolls or copies; any other key closes the text.
func (p *TextPopup) HandleKey(k tea.KeyMsg) (stays bool, cmd tea.Cmd) {
	if string(k.Runes) == "c" && p.OnCopy != nil {
		return true, p.OnCopy()
	}
	p.setContent(p.scroll.Width, p.scroll.Height)
	return scrollText(&p.scroll, k), nil
}

// scrollText scrolls by the keys of a document; it reports whether k is one of them.
func scrollText(text *viewport.Model, k tea.KeyMsg) bool {
	keys, page := NewDocumentKeys(), max(text.Height-1, 1)
	switch {
	case key.Matches(k, keys.Up):
		text.ScrollUp(1)
	case key.Matches(k, keys.Down):
		text.ScrollDown(1)
	case key.Matches(k, keys.PageUp):
		text.ScrollUp(page)
	case key.Matches(k, keys.PageDown):
		text.ScrollDown(page)
	case key.Matches(k, keys.Home):
		text.GotoTop()
	case key.Matches(k, keys.End):
		text.GotoBottom()
	default:
		return false
	}
	return true
}

func (p *TextPopup) setContent(width, height int) (lines []string) {
	lines = p.Lines(width)
	p.scroll.Width, p.scroll.Height = width, height
	p.scroll.SetContent(strings.Join(lines, "\n"))
	p.scroll.SetYOffset(p.scroll.YOffset) // within the new content
	return lines
}

// Hints returns the keys of the popup.
func (p *TextPopup) Hints() []key.Binding {
	hints := []key.Binding{NewHint("up/down", "scroll"), NewHint("esc", "close")}
	if p.OnCopy != nil {
		hints = append([]key.Binding{NewHint("c", "copy")}, hints...)
	}
	return hints
}

// IsTyping returns false: letters are shortcuts.
func (p *TextPopup) IsTyping() bool { return false }

// View draws as many lines as fit, and shows that there are more.
func (p *TextPopup) View(width, height int) string {
	lines := p.setContent(width, height)
	lines = slices.Clone(lines[min(p.scroll.YOffset, len(lines)):])
	if len(lines) > height && height > 1 {
		lines[height-1] = " " + p.Theme.Dim.Render("↓ more")
	}
	return cells.Fill(lines, width, height)
}
