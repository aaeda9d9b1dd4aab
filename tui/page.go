package tui

import (
	"exoshift/tui/theme"
	"exoshift/wizard"
	"exoshift/wizard/session"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// page is one screen of an interview. It gets the keys that the wizard itself does not handle, and every message that is not the
// wizard's. It requests navigation from the session: requestNext, requestPrevious, requestField, requestFinish.
type page interface {
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

// inputModer is a page that handles keys which are the wizard's otherwise.
type inputModer interface{ InputMode() inputMode }

// inputMode selects the keys that a page handles itself.
type inputMode int

const (
	modeDefault  inputMode = iota // the wizard handles ?
	modeReadOnly                  // the wizard handles q, e, ? and digits: the page has no fields
	modeText                      // letters are text
	modeCapture                   // the page handles esc and all but ctrl+c, ctrl+l and the function keys: something is open on it
)

// sidePanel is a page with a panel beside it, below the help, on screens of 100 columns and more; on smaller ones the page shows
// the panel itself.
type sidePanel interface {
	RenderSide(width, height int) string
}

// fullWidth is a page that takes the whole width of the screen: its help is shown on demand only.
type fullWidth interface{ IsFullWidth() bool }

// focuser is a page that can select the field of that key; it reports whether it has the field.
type focuser interface{ Focus(key string) bool }

func newPage(t *pageContext, screen wizard.Screen) page {
	switch screen {
	case wizard.Nodes:
		return newNodesPage(t)
	case wizard.Network:
		return newNetworkPage(t)
	case session.ChecksPage:
		return newChecksPage(t)
	case session.ReviewPage:
		return newReviewPage(t)
	}
	return newForm(t, screen)
}
