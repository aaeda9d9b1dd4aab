package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/console"
	"exoshift/internal/console/prompt"
	"exoshift/provisioner"
	tuiwizard "exoshift/tui/wizard"
)

// outputAccessible is the output of --accessible: line-by-line prompts, and a sentence for each change.
const outputAccessible output = "accessible"

const accessibleName = "accessible"

func addAccessibleFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(accessibleName, false, "ask and tell in plain lines, for screen readers and simple terminals (also EXOSHIFT_ACCESSIBLE=1)")
}

// resolveAccessible also selects plain lines for a terminal that supports nothing else.
func (o output) resolveAccessible(asked bool, cmd *cobra.Command, std streams) (output, error) {
	speaks := cmd.Flags().Lookup(accessibleName) != nil
	switch {
	case speaks && asked && o == outputTUI:
		return "", exit.WithCode(exit.Usage, fmt.Errorf("--accessible and --output tui exclude each other: give one of them"))
	case speaks && asked && o != outputJSON, speaks && o == outputAuto && std.isDumbTerminal():
		return outputAccessible, nil
	}
	return o.resolve(std)
}

func (o output) isInteractive() bool { return o == outputTUI || o == outputAccessible }

func (o output) wrapWriter(w io.Writer) io.Writer {
	if o == outputAccessible {
		return console.NewAccessibleWriter(w)
	}
	return w
}

func (o output) newPrinter(w io.Writer) func(provisioner.Event) {
	switch o {
	case outputAccessible:
		return console.NewSentencePrinter(w)
	case outputJSON:
		return console.NewJSON(w)
	}
	return console.NewPlain(w)
}

// isDumbTerminal reports whether a terminal without cursor movement is both input and output.
func (s streams) isDumbTerminal() bool {
	return os.Getenv("TERM") == "dumb" && isTerminal(s.in) && isTerminal(s.out)
}

func isTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && isatty.IsTerminal(file.Fd())
}

// lineReader returns one shared reader, so that no buffered input is lost between prompts.
func (s streams) lineReader() *prompt.LineReader {
	if s.lines == nil {
		return prompt.NewLineReader(s.in)
	}
	return s.lines
}

// readLine returns a line, or the cause of ctx's end. The end of the input is an empty answer, never a confirmation.
func (s streams) readLine(ctx context.Context) (string, error) {
	line, err := s.lineReader().Next(ctx)
	if errors.Is(err, prompt.ErrEnded) {
		return "", nil
	}
	return line, err
}

func (o output) newFrontend(std streams) frontend {
	if o == outputAccessible {
		return std.runPrompts
	}
	return tuiwizard.Run
}

func (s streams) runPrompts(ctx context.Context, w tuiwizard.Options) (tuiwizard.Outcome, error) {
	p := prompt.Prompter{Open: w.Open, In: s.lineReader(), Out: s.out, Piped: !isTerminal(s.in), Interruptible: s.interrupts.withInterrupt}
	if !p.Piped {
		p.Hide = s.hide
	}
	for _, option := range w.StartOptions {
		p.Options = append(p.Options, prompt.Option(option))
	}
	outcome, err := prompt.Run(ctx, p)
	return tuiwizard.Outcome(outcome), err
}

// hide turns off the echo until undo is called. In canonical mode a terminal truncates lines at 4095 characters, so it uses
// raw mode meanwhile; a pull secret may be longer.
func (s streams) hide() (undo func()) {
	file, ok := s.in.(*os.File)
	if !ok {
		return func() {}
	}
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(file.Fd()), before) }
}

func (s runDisplay) newSpokenRenderer(ctx context.Context, shown run.View) run.Renderer {
	std := s.std
	narrator := console.NewAccessiblePrinter(std.out, shown.Plan, func(w io.Writer, board *provisioner.Board) {
		facts, err := shown.Folder.LoadFacts()
		if err != nil {
			facts.ClusterID = shown.Spec.Cluster.ID
		}
		console.PrintStatus(w, board, facts, shown.Folder.Path())
	})
	return run.Renderer{Emit: narrator.Handle, RunWith: func(body func()) error {
		listening, end := context.WithCancel(ctx)
		var listener sync.WaitGroup
		defer listener.Wait() // so that no output is mixed with what follows
		defer end()
		fmt.Fprintln(std.out, console.WhileRunning)
		listener.Go(func() { listen(listening, std.lineReader(), narrator) })
		body()
		return nil
	}}
}

// listen handles typed lines until the run ends. The end of the input is not an error.
func listen(ctx context.Context, lines *prompt.LineReader, narrator *console.AccessiblePrinter) {
	for {
		line, err := lines.Next(ctx)
		if err != nil {
			return
		}
		narrator.HandleLine(line)
	}
}
