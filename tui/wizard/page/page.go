// Package page is what the pages of an interview share on the terminal: what a page is, the session that it draws, and the words for
// problems and lookups.
package page

import (
	"exoshift/tui/theme"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Page is one screen of an interview. It gets the keys that the wizard itself does not handle, and every message that is not the
// wizard's. It requests navigation from the session: RequestNext, RequestPrevious, RequestField, RequestFinish.
type Page interface {
	Update(msg tea.Msg) tea.Cmd
	// View draws the page without any I/O: exactly width by height cells, nothing if either is not positive.
	View(width, height int) string
	// Open is called whenever the page becomes the current one.
	Open() tea.Cmd
	// Close is called before another page becomes the current one. False means that there are errors, which only blocks going
	// forward; the page then shows them.
	Close() (ok bool)
	Mark() theme.Status   // for the strip at the top
	Hints() []key.Binding // for the key line, the most important ones first
	Help() string         // about the selection: what, why, example, source; it may have several lines
}

// InputModer is a page that handles keys which are the wizard's otherwise.
type InputModer interface{ InputMode() InputMode }

// InputMode selects the keys that a page handles itself.
type InputMode int

// The input modes.
const (
	ModeDefault  InputMode = iota // the wizard handles ?
	ModeReadOnly                  // the wizard handles q, e, ? and digits: the page has no fields
	ModeText                      // letters are text
	ModeCapture                   // the page handles esc and all but ctrl+c, ctrl+l and the function keys: something is open on it
)

// SidePanel is a page with a panel beside it, below the help, on screens of 100 columns and more; on smaller ones the page shows
// the panel itself.
type SidePanel interface {
	RenderSide(width, height int) string
}

// FullWidth is a page that takes the whole width of the screen: its help is shown on demand only.
type FullWidth interface{ IsFullWidth() bool }

// Focuser is a page that can select the field of that key; it reports whether it has the field.
type Focuser interface{ Focus(key string) bool }
