package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/wizard"
)

func newExplainCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [KEY]",
		Short: "Explain a key of the answers file, and tell each answer and where it came from",
		Long: `Without KEY: a table of all answers, and for each where it came from: a flag, a variable, a line of a file, or the
default. With the KEY of an answer: what it is, why it matters, where its value is found, what is allowed, and its answer.
With a section such as "network": all that is below. Of a secret the reference is shown, never the secret.`,
		Example: "  exoshift answers explain --answers answers.yaml\n  exoshift answers explain network.podCIDR",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			return runExplain(o, args, std)
		},
	}
	addAnswersFlag(cmd, "the answers file")
	return cmd
}

func runExplain(o options, args []string, std streams) error {
	fields := wizard.FindFields("")
	if len(args) > 0 {
		if fields = wizard.FindFieldsOrFact(args[0]); len(fields) == 0 {
			return newUnknownKeyError(args[0])
		}
	}
	layers, err := o.readLayers()
	if err != nil {
		return err
	}
	all, err := layers.merge()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		console.PrintAnswers(std.out, fields, all.Answers)
	} else {
		printFields(fields, all.Answers, std)
	}
	if o.answers == "" { // a key is explained without answers, too
		return nil
	}
	if faults := all.Problems(); len(faults) > 0 {
		console.PrintProblems(std.err, faults)
		return exit.ErrAnswers
	}
	return nil
}

func printFields(fields []wizard.Field, answers *wizard.Answers, std streams) {
	for i, field := range fields {
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		console.PrintField(std.out, field, answers)
	}
}

func newUnknownKeyError(name string) error {
	problem := fmt.Sprintf("there is no key %q", name)
	if meant := wizard.FindNearest(name); meant != "" {
		problem += "; did you mean " + meant + "?"
	}
	return exit.WithCode(exit.Usage, errors.New(problem+"\n  see: exoshift answers explain"))
}
