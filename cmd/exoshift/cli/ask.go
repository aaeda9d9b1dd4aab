package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/fault"
)

// Ask returns an error unless --yes was given or a person answers a question with yes. toGo ends the refusal without a terminal, such as
// "to remove these nodes"; it may be empty.
func (s Display) Ask(ctx context.Context, o Options, question, toGo string) error {
	switch {
	case o.Yes:
		return nil
	case s.Output.IsJSON() || !s.Std.IsTerminal():
		return exit.WithCode(exit.Usage, errors.New(strings.TrimSpace("nothing was changed: give --yes "+toGo)))
	}
	fmt.Fprint(s.Std.Out, question+" [y/N] ")
	answer, err := s.Std.ReadLine(ctx)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return exit.WithCode(exit.Usage, errors.New("nothing was changed"))
	}
	return nil
}

// Overwrite is what a person confirms by typing the cluster's ID: --yes does not suffice.
type Overwrite struct {
	Cluster   string // its ID
	Confirmed string // what the flag says
	Flag      string // such as --confirm-restore
	Lost      string // the question
}

// Check checks what the flag says before anything is contacted. A terminal is asked later.
func (s Display) Check(w Overwrite) error {
	switch {
	case w.Confirmed == w.Cluster:
		return nil
	case w.Confirmed != "":
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was changed: %s %s does not match the cluster ID %s", w.Flag, w.Confirmed, w.Cluster))
	case s.Output.IsJSON() || !s.Std.IsTerminal():
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was changed: %s=%s is required (--yes does not suffice), or --dry-run", w.Flag, w.Cluster))
	}
	return nil
}

// AskID returns an error unless the flag has the cluster's ID, or a person types it.
func (s Display) AskID(ctx context.Context, w Overwrite) error {
	if w.Confirmed == w.Cluster {
		return nil
	}
	if err := s.Check(w); err != nil {
		return err
	}
	fmt.Fprint(s.Std.Out, w.Lost)
	answer, err := s.Std.ReadLine(ctx)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if typed := strings.TrimSpace(answer); typed != w.Cluster {
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was changed: %q does not match the cluster ID %s", typed, w.Cluster))
	}
	return nil
}

// PrintFailure prints how a run failed that was shown, with the next thing to do, to the standard error; nil prints nothing. It comes after
// what was printed before, and before what follows, also where both streams end in the same terminal.
func (s Display) PrintFailure(failure error) {
	if failure == nil {
		return
	}
	for _, o := range s.Std.listOutlets() {
		o.Flush()
	}
	PrintError(s.Std.Err, failure)
}

// PrintError prints an error with its reasons, a line each, and the next thing to do; nil prints nothing. Go's words for an interruption are
// those of programmers.
func PrintError(w io.Writer, err error) {
	if err == nil {
		return
	}
	message := console.SanitizeLine(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "stopped"))
	var reasons fault.Reasons
	if errors.As(err, &reasons) && len(reasons) > 1 {
		if about, ok := strings.CutSuffix(message, console.SanitizeLine(reasons.Error())); ok {
			message = strings.TrimSpace(about)
			for _, reason := range reasons {
				message += "\n  - " + console.SanitizeLine(reason)
			}
		}
	}
	fmt.Fprintf(w, "exoshift: %s\n", message)
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintf(w, "  %s\n", console.SanitizeLine(hint))
	}
}
