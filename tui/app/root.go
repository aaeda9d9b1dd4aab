package app

import (
	"fmt"
	"runtime/debug"
	"time"

	"exoshift/tui/cells"

	tea "github.com/charmbracelet/bubbletea"
)

// root turns a panic of a screen into an orderly end: the terminal is restored, and the stack goes into the error instead of onto
// the screen.
type root struct {
	screen  tea.Model
	quit    func()
	err     error
	mouse   bool          // reports of the mouse are wanted
	targets cells.Targets // of the last frame
}

func (r *root) Init() tea.Cmd { return r.screen.Init() }

func (r *root) Update(message tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer r.recoverPanic()
	model = r
	switch m := message.(type) {
	case querySizeMsg:
		return model, tea.WindowSize()
	case toggleMouseMsg:
		return model, r.toggleMouse()
	case tea.MouseMsg:
		if message = r.translateMouse(m); message == nil {
			return model, nil
		}
	case PanicMsg:
		r.err = m.Err
		return model, tea.Quit
	}
	commands := []tea.Cmd{requestSize(message)}
	for _, m := range SplitEscape(message) {
		_, cmd = r.screen.Update(m)
		commands = append(commands, cmd)
	}
	return model, tea.Batch(commands...)
}

func (r *root) View() string {
	defer r.recoverPanic()
	if r.err != nil {
		return ""
	}
	frame, targets := cells.FindTargets(r.screen.View())
	r.targets = targets
	return frame
}

// recoverPanic must be deferred. It quits from a goroutine, since the program is blocked in the call.
func (r *root) recoverPanic() {
	if p := recover(); p != nil && r.err == nil {
		r.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		go r.quit()
	}
}

type querySizeMsg struct{}

// requestSize repeats the query while the terminal has no size. It gets one soon, and the signal of that may come before
// bubbletea listens for it.
func requestSize(message tea.Msg) tea.Cmd {
	size, isSize := message.(tea.WindowSizeMsg)
	if !isSize || size.Width > 0 && size.Height > 0 {
		return nil
	}
	return tea.Tick(time.Second/4, func(time.Time) tea.Msg { return querySizeMsg{} })
}
