package tui

import (
	"fmt"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// recoverModel turns a panic of a screen into an orderly end: the terminal is given back, and the stack goes into the error
// instead of over what was on the terminal.
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

// normalizeEscape takes esc pressed twice for esc: in one piece the two look like alt+esc, which nobody means.
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

// recoverPanic is deferred. It asks for the end from a goroutine of its own, since the program is busy calling.
func (g *recoverModel) recoverPanic() {
	if p := recover(); p != nil && g.err == nil {
		g.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		go g.quit()
	}
}
