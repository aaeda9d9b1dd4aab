package cli

import (
	"context"
	"errors"
	"fmt"
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

// PrintFailure prints how a run failed that was shown, with the next thing to do, to the standard error; nil prints nothing.
func (s Display) PrintFailure(failure error) {
	if failure == nil {
		return
	}
	fmt.Fprintf(s.Std.Err, "exoshift: %s\n", console.SanitizeLine(failure.Error()))
	if hint := fault.HintOf(failure); hint != "" {
		fmt.Fprintf(s.Std.Err, "  %s\n", console.SanitizeLine(hint))
	}
}
