package tui

import (
	"exoshift/tui/pane"
	"exoshift/wizard"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// page is one screen of an interview. It hears the keys that the wizard itself does not take, and every message that is
// not the wizard's. What it wants of the wizard it says to the talk: talk.ahead, talk.back, talk.requestField, talk.finish.
type page interface {
	Update(msg tea.Msg) tea.Cmd
	// View draws the page from memory: exactly width by height cells, nothing if either is not positive.
	View(width, height int) string
	// Enter is called whenever the page comes to the front.
	Open() tea.Cmd
	// Leave is called before another page comes to the front. False says that something red is in the way, which
	// only stops those who want to go forward; the page then shows what it is.
	Close() (ok bool)
	Mark() pane.Status    // for the strip at the top
	Hints() []key.Binding // for the key line, the most important ones first
	Help() string         // about what is selected: what, why, example, source; it may have several lines
}

// inputModer is a page that wants keys which are the wizard's otherwise.
type inputModer interface{ InputMode() inputMode }

// inputMode is which keys a page wants for itself.
type inputMode int

const (
	modeDefault  inputMode = iota // ? is the wizard's
	modeReadOnly                  // q, e, ? and digits are the wizard's: nothing is filled in
	modeText                      // letters are text
	modeCapture                   // esc, and all but ctrl+c, ctrl+l and the function keys, belong to something that is open on the page
)

// sidePanel is a page that has something to show beside it on screens of 100 columns and more, below the help; on smaller
// ones it shows that itself.
type sidePanel interface {
	RenderSide(width, height int) string
}

// fullWidth is a page that wants the whole width of the screen: its help is shown on demand only.
type fullWidth interface{ IsFullWidth() bool }

// focuser is a page that can select the field of that key; it tells whether it has it.
type focuser interface{ Focus(key string) bool }

// The screens after those with questions.
const (
	checksScreen wizard.Screen = "checks"
	reviewScreen wizard.Screen = "review"
)

// newPage returns the page of a screen.
func newPage(t *session, screen wizard.Screen) page {
	switch screen {
	case wizard.Nodes:
		return newNodesPage(t)
	case wizard.Network:
		return newNetworkPage(t)
	case checksScreen:
		return newChecksPage(t)
	case reviewScreen:
		return newReviewPage(t)
	}
	return newForm(t, screen)
}
