package tui

import (
	"fmt"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// guard turns a panic of a screen into an orderly end: the terminal is given back, and the stack goes into the error
// instead of over what was on the terminal.
type guard struct {
	screen tea.Model
	quit   func()
	err    error
}

func (g *guard) Init() tea.Cmd { return g.screen.Init() }

func (g *guard) Update(message tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer g.recover()
	model = g
	if _, due := message.(measure); due {
		return model, tea.WindowSize()
	}
	_, cmd = g.screen.Update(onceEscaped(message))
	return model, tea.Batch(cmd, unmeasured(message))
}

// onceEscaped takes esc pressed twice for esc: in one piece the two look like alt+esc, which nobody means.
func onceEscaped(message tea.Msg) tea.Msg {
	if k, is := message.(tea.KeyMsg); is && k.Type == tea.KeyEsc {
		k.Alt = false
		return k
	}
	return message
}

func (g *guard) View() string {
	defer g.recover()
	if g.err != nil {
		return ""
	}
	return g.screen.View()
}

// recover is deferred. It asks for the end from a goroutine of its own, since the program is busy calling.
func (g *guard) recover() {
	if p := recover(); p != nil && g.err == nil {
		g.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		go g.quit()
	}
}
