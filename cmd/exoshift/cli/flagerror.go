package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"exoshift/internal/app/exit"
	"exoshift/internal/text/similar"
)

// NewFlagError describes what is wrong with the flags of a command line.
func NewFlagError(cmd *cobra.Command, err error) error {
	return exit.WithCode(exit.Usage, fmt.Errorf("%s\n  see: %s --help", describeFlagError(cmd, err), cmd.CommandPath()))
}

func describeFlagError(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Sprintf("unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		problem := fmt.Sprintf("unknown flag --%s", unknown.GetSpecifiedName())
		if nearest := findNearestFlag(cmd, unknown.GetSpecifiedName()); nearest != "" {
			problem += "; did you mean --" + nearest + "?"
		}
		if unknown.GetSpecifiedName() == "dry-run" && cmd.Name() == "install" {
			problem += "; exoshift plan shows what would be created"
		}
		return problem
	case errors.As(err, &missing):
		return fmt.Sprintf("--%s needs a value: %s", missing.GetFlag().Name, missing.GetFlag().Usage)
	case errors.As(err, &invalid):
		return fmt.Sprintf("--%s %s: not %s", invalid.GetFlag().Name, invalid.GetValue(), describeType(invalid.GetFlag().Value.Type()))
	}
	return err.Error()
}

func findNearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	return similar.FindNearest(name, names)
}

func describeType(name string) string {
	switch name {
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	case "float64":
		return "a number"
	case "duration":
		return "a duration, e.g. 45s, 30m or 1h30m"
	}
	return "a valid " + name
}
