// Package app runs a screen in the terminal. Its root model is around every screen: it gives the terminal back after a panic and
// asks for the size until there is one. Screens also share what is of the terminal: background work, the clipboard, keys.
package app

import (
	"context"
	"errors"
	"io"
	"os"

	"exoshift/internal/fault"

	tea "github.com/charmbracelet/bubbletea"
)

// Options configure the program of a screen.
type Options struct {
	In  io.Reader // nil for the standard input
	Out io.Writer // nil for the standard output
	FPS int       // at most so many frames are drawn in a second
}

// Program runs a screen.
type Program struct {
	root *root
	tea  *tea.Program
}

// NewProgram returns the program of a screen. The terminal is not touched before Run.
func NewProgram(screen tea.Model, o Options) *Program {
	if o.In == nil {
		o.In = os.Stdin
	}
	if o.Out == nil {
		o.Out = os.Stdout
	}
	p := &Program{root: &root{screen: screen, mouse: HasMouse(o.Out)}}
	options := []tea.ProgramOption{
		tea.WithInput(newKeyReader(o.In, p.Send)), tea.WithOutput(o.Out), tea.WithAltScreen(), tea.WithFPS(o.FPS), tea.WithoutSignalHandler(),
	}
	if p.root.mouse {
		options = append(options, tea.WithMouseCellMotion())
	}
	p.tea = tea.NewProgram(p.root, options...)
	p.root.quit = p.tea.Quit
	return p
}

// Send sends a message to the screen from any goroutine. It is dropped once the program has ended.
func (p *Program) Send(message tea.Msg) { p.tea.Send(message) }

// Run shows the screen until it quits or ctx ends, and gives the terminal back. Its error is a panic of the screen or of its
// background work, or a failure of the terminal.
func (p *Program) Run(ctx context.Context) error {
	// Not tea.WithContext: it releases the terminal while it is still being read.
	defer context.AfterFunc(ctx, p.tea.Quit)()
	_, err := p.tea.Run()
	return errors.Join(p.root.err, err)
}

// CheckTerminal returns an error if out is a terminal that cannot place the cursor; action is what fails, and hint the way out.
func CheckTerminal(out io.Writer, action, hint string) error {
	if out == nil {
		out = os.Stdout
	}
	if _, terminal := out.(*os.File); terminal && os.Getenv("TERM") == "dumb" {
		return fault.Newf(fault.Invalid, action, "this terminal (TERM=dumb) cannot place the cursor").WithHint("%s", hint)
	}
	return nil
}
