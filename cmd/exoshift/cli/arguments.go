package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/internal/app/exit"
	"exoshift/internal/text/similar"
)

// WithUsageError returns a check of arguments whose errors are of usage; nil allows none.
func WithUsageError(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			check = cobra.NoArgs
		}
		if err := check(cmd, args); err != nil {
			return exit.WithCode(exit.Usage, fmt.Errorf("%s\n  see: %s --help", describeArguments(cmd, args), cmd.CommandPath()))
		}
		return nil
	}
}

// describeArguments returns what is wrong with the arguments: their number, or the name of a command below.
func describeArguments(cmd *cobra.Command, args []string) string {
	_, arguments, takes := strings.Cut(cmd.Use, " ")
	arguments, _, _ = strings.Cut(arguments, " --") // what follows are flags
	switch {
	case !takes && len(args) > 0 && cmd.HasAvailableSubCommands():
		return describeUnknownCommand(cmd, args[0])
	case !takes && len(args) > 0:
		return fmt.Sprintf("%s takes no argument, not %q", cmd.CommandPath(), args[0])
	case len(args) == 1 && len(cmd.ValidArgs) > 0:
		return fmt.Sprintf("%s: %q is not one of %s", cmd.CommandPath(), args[0], strings.Join(cmd.ValidArgs, ", "))
	case len(args) == 0:
		return fmt.Sprintf("%s needs an argument: %s", cmd.CommandPath(), arguments)
	}
	return fmt.Sprintf("%s takes %s, not %d arguments", cmd.CommandPath(), strings.Trim(arguments, "[]"), len(args))
}

// RunGroup is for a command that only has commands below it: it shows its help, and refuses a mistyped name.
func RunGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	return exit.WithCode(exit.Usage, errors.New(describeUnknownCommand(cmd, args[0])+"\n  see: "+cmd.CommandPath()+" --help"))
}

func describeUnknownCommand(parent *cobra.Command, name string) string {
	problem := fmt.Sprintf("unknown command %q", name)
	if nearest := findNearestCommand(parent, name); nearest != "" {
		problem += "; did you mean " + nearest + "?"
	}
	return problem
}

// findNearestCommand returns the command that begins with name, or that is spelled like it; "" if there is none.
func findNearestCommand(parent *cobra.Command, name string) string {
	if similar := parent.SuggestionsFor(name); len(similar) > 0 {
		return strings.Join(similar, " or ")
	}
	var names []string
	for _, command := range parent.Commands() {
		if command.IsAvailableCommand() {
			names = append(names, command.Name())
		}
	}
	return similar.FindNearest(name, names)
}

// NewHelpCommand returns the verb `help`.
func NewHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND...]",
		Short:   "Show the help of a command",
		Example: "  exoshift help install\n  exoshift help answers validate",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			parent, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var all []cobra.Completion
			for _, below := range parent.Commands() {
				if below.IsAvailableCommand() {
					all = append(all, cobra.CompletionWithDesc(below.Name(), below.Short))
				}
			}
			return filterBegun(all, begun), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found := cmd.Root()
			for _, name := range args {
				below, _, err := found.Find([]string{name})
				if err != nil || below == found || below.Hidden {
					return RunGroup(found, []string{name})
				}
				found = below
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
