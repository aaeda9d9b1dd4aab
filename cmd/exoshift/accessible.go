package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/tui"
)

// outputAccessible is what --accessible stands for: questions and answers line by line, and a sentence for each change.
const outputAccessible output = "accessible"

const accessibleName = "accessible"

func addAccessibleFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(accessibleName, false, "ask and tell in plain lines, for screen readers and simple terminals (also EXOSHIFT_ACCESSIBLE=1)")
}

// resolveAccessible is resolve, with plain lines where they were asked for. A terminal that can only write lines gets them, too.
func (o output) resolveAccessible(asked bool, cmd *cobra.Command, std streams) (output, error) {
	speaks := cmd.Flags().Lookup(accessibleName) != nil
	switch {
	case speaks && asked && o == outputTUI:
		return "", usageError{fmt.Errorf("--accessible and --output tui exclude each other: give one of them")}
	case speaks && asked && o != outputJSON, speaks && o == outputAuto && std.isDumbTerminal():
		return outputAccessible, nil
	}
	return o.resolve(std)
}

// isInteractive tells whether somebody can be asked.
func (o output) isInteractive() bool { return o == outputTUI || o == outputAccessible }

// wrapWriter prepares text for those who listen to it, or leaves it as it is.
func (o output) wrapWriter(w io.Writer) io.Writer {
	if o == outputAccessible {
		return console.NewAccessibleWriter(w)
	}
	return w
}

// newPrinter prints a run that has no screen.
func (o output) newPrinter(w io.Writer) func(provisioner.Event) {
	switch o {
	case outputAccessible:
		return console.NewSentencePrinter(w)
	case outputJSON:
		return console.NewJSON(w)
	}
	return console.NewPlain(w)
}

// isDumbTerminal tells whether a person sits at both ends of a terminal that knows nothing but lines.
func (s streams) isDumbTerminal() bool {
	return os.Getenv("TERM") == "dumb" && isTerminal(s.in) && isTerminal(s.out)
}

func isTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && isatty.IsTerminal(file.Fd())
}

// lineReader returns what is typed: one reader for all who ask, so that nothing is lost between them.
func (s streams) lineReader() *console.LineReader {
	if s.lines == nil {
		return console.NewLineReader(s.in)
	}
	return s.lines
}

// newFrontend returns who asks the questions.
func (o output) newFrontend(std streams) frontend {
	if o == outputAccessible {
		return std.runPrompts
	}
	return tui.RunWizard
}

// runPrompts holds an interview in plain lines.
func (s streams) runPrompts(ctx context.Context, w tui.Wizard) (tui.Outcome, error) {
	p := console.Prompter{Open: w.Open, In: s.lineReader(), Out: s.out, Piped: !isTerminal(s.in), Interruptible: s.interrupts.withInterrupt}
	if !p.Piped {
		p.Hide = s.hide
	}
	for _, option := range w.Options {
		p.Options = append(p.Options, console.Option(option))
	}
	outcome, err := console.RunPrompt(ctx, p)
	return tui.Outcome(outcome), err
}

// hide keeps what is typed from being shown until it is undone. A terminal takes no line of more than 4095 characters
// unless it hands on each key as it is, so it does that meanwhile; a pull secret may be longer.
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

// newSpokenRenderer tells a run in sentences, and hears what is typed meanwhile.
func (s session) newSpokenRenderer(ctx context.Context, plan provisioner.Plan, std streams) renderer {
	narrator := console.NewAccessiblePrinter(std.out, plan, func(w io.Writer, board *provisioner.Board) {
		facts, err := s.folder.LoadFacts()
		if err != nil {
			facts.ClusterID = s.spec.Cluster.ID
		}
		console.PrintStatus(w, board, facts, s.folder.Path())
	})
	return renderer{emit: narrator.Handle, runWith: func(body func()) error {
		listening, end := context.WithCancel(ctx)
		var listener sync.WaitGroup
		defer listener.Wait() // whoever prints next is not spoken over
		defer end()
		fmt.Fprintln(std.out, console.WhileRunning)
		listener.Go(func() { listen(listening, std.lineReader(), narrator) })
		body()
		return nil
	}}
}

// listen answers what is typed during a run, until that ends. That nobody can type is no news.
func listen(ctx context.Context, lines *console.LineReader, narrator *console.AccessiblePrinter) {
	for {
		line, err := lines.Next(ctx)
		if err != nil {
			return
		}
		narrator.HandleLine(line)
	}
}
