package tui

import (
	"fmt"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// recoverModel turns a panic of a screen into an orderly end: the terminal is restored, and the stack goes into the error instead
// of onto the screen.
type recoverModel struct {
	screen tea.Model
	quit   func()
	err    error
}

func (g *recoverModel) Init() tea.Cmd { return g.screen.Init() }

func (g *recoverModel) Update(message tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer g.recoverPanic()
	model = g
	if _, due := message.(querySize); due {
		return model, tea.WindowSize()
	}
	_, cmd = g.screen.Update(normalizeEscape(message))
	return model, tea.Batch(cmd, requestSize(message))
}

// normalizeEscape turns two esc into one: read in one piece they look like alt+esc, which has no binding.
func normalizeEscape(message tea.Msg) tea.Msg {
	if k, is := message.(tea.KeyMsg); is && k.Type == tea.KeyEsc {
		k.Alt = false
		return k
	}
	return message
}

func (g *recoverModel) View() string {
	defer g.recoverPanic()
	if g.err != nil {
		return ""
	}
	return g.screen.View()
}

// recoverPanic must be deferred. It quits from a goroutine, since the program is blocked in the call.
func (g *recoverModel) recoverPanic() {
	if p := recover(); p != nil && g.err == nil {
		g.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		go g.quit()
	}
}
