// Package cli is what the verbs share: flags, streams, outputs, and the display of a run.
package cli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"exoshift/internal/app/run"
	"exoshift/internal/console"
	"exoshift/internal/console/prompt"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	tuiwizard "exoshift/tui/wizard"
)

// Frontend runs interviews on the terminal's screens or as prompts.
type Frontend func(ctx context.Context, w tuiwizard.Options) (tuiwizard.Outcome, error)

func (o output) NewFrontend(std Streams) Frontend {
	if o == OutputAccessible {
		return std.runPrompts
	}
	return tuiwizard.Run
}

func (s Streams) runPrompts(ctx context.Context, w tuiwizard.Options) (tuiwizard.Outcome, error) {
	p := prompt.Prompter{Open: w.Open, In: s.LineReader(), Out: s.Out, Piped: !IsTerminal(s.In), Interruptible: s.Interrupts.withInterrupt}
	if !p.Piped {
		p.Hide = s.hide
	}
	for _, option := range w.StartOptions {
		p.Options = append(p.Options, prompt.Option{ID: option.ID, Title: option.Title, Help: option.Help})
	}
	outcome, err := prompt.Run(ctx, p)
	return tuiwizard.Outcome(outcome), err
}

// NewSpokenRenderer prints a sentence for each change, and answers typed requests for the status meanwhile.
func (s Display) NewSpokenRenderer(ctx context.Context, shown run.View) run.Renderer {
	std := s.Std
	narrator := console.NewAccessiblePrinter(std.Out, shown.Plan, func(w io.Writer, board *provisioner.Board) {
		facts, err := shown.Folder.LoadFacts()
		if err != nil {
			facts.ClusterID = shown.Spec.Cluster.ID
		}
		console.PrintStatus(w, board, facts, handover.Locations{Folder: shown.Folder.Path()})
	})
	narrator.OnDecision(shown.Decide)
	var isOver atomic.Bool // nobody types any more
	return run.Renderer{Emit: narrator.Handle, IsAttended: func() bool { return !isOver.Load() }, RunWith: func(body func()) error {
		listening, end := context.WithCancel(ctx)
		var listener sync.WaitGroup
		defer listener.Wait() // so that no output is mixed with what follows
		defer end()
		fmt.Fprintln(std.Out, console.WhileRunning)
		listener.Go(func() {
			defer isOver.Store(true)
			listen(listening, std.LineReader(), narrator)
		})
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
