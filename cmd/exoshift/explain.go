package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/explain"
	"exoshift/internal/console"
	"exoshift/wizard/answersfile"
)

// newExplainCommand returns the verb that explains any ID. That of "answers" explains keys only.
func newExplainCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [ID]",
		Short: "Explain a check, finding, step, exit code or answer",
		Long: `Show the documentation of a check, finding, step, exit code or answer.

ID is a check (NET-RH-001), a connection problem (tcp-timeout), a finding of the diagnosis (machine-silent), a step
(bootstrap-complete), the number or name of an exit code (12), or a key of the answers file (network.podCIDR). Without ID,
all IDs except the keys are listed.`,
		Example:           "  exoshift explain machine-silent\n  exoshift explain NET-RH-001\n  exoshift explain 12",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				console.PrintPageList(std.Out, explain.List())
				return nil
			}
			return explainID(o, args[0], std)
		},
	}
	cli.AddAnswersFlag(cmd, "the answers file, for a key")
	return cmd
}

func explainID(o cli.Options, id string, std cli.Streams) error {
	pages, fields := explain.Find(id), answersfile.FindFieldsOrFact(id)
	if len(pages)+len(fields) == 0 {
		problem := fmt.Sprintf("unknown ID %q", id)
		if meant := explain.FindNearest(id); meant != "" {
			problem += "; did you mean " + meant + "?"
		}
		return exit.WithCode(exit.Usage, errors.New(problem+"\n  see: exoshift explain"))
	}
	console.PrintPages(std.Out, pages)
	if len(fields) == 0 {
		return nil
	}
	if len(pages) > 0 {
		fmt.Fprintln(std.Out)
	}
	return explainAnswers(o, []string{id}, std)
}
