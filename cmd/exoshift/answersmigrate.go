package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"exoshift/internal/console"
	"exoshift/internal/fileread"
	"exoshift/state"
	"exoshift/wizard"
)

func newMigrateCommand(std streams) *cobra.Command {
	var inPlace bool
	cmd := &cobra.Command{
		Use:   "migrate FILE",
		Short: "Bring an answers file to the current format",
		Long: `Bring an answers file to the current format, ` + state.APIVersion + `, and write it to the standard output. A current file stays as
it is, byte for byte. There is no older format: a file that does not say which one it has gets the two lines that do, and
everything else stays as it is. A newer format is refused.

With --write the file itself is replaced, and what it was is kept as FILE.orig.`,
		Example: "  exoshift answers migrate answers.yaml --write",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return migrate(args[0], inPlace, std)
		},
	}
	cmd.Flags().BoolVar(&inPlace, "write", false, "replace the file, and keep what it was as FILE.orig")
	return cmd
}

func migrate(path string, inPlace bool, std streams) error {
	before, err := fileread.Bytes(path, fileread.Small)
	if err != nil {
		return usageError{fmt.Errorf("read the answers: %w", err)}
	}
	after, faults := wizard.Migrate(path, before)
	if len(faults) > 0 {
		console.PrintProblems(std.err, faults)
		return answersError{errors.New("the answers cannot be migrated")}
	}
	if bytes.Equal(before, after) {
		fmt.Fprintf(std.err, "%s is current: %s\n", console.SanitizeLine(path), state.APIVersion)
	}
	if !inPlace {
		return writeOutput(nil, after, std)
	}
	if bytes.Equal(before, after) {
		return nil
	}
	return replace(path, before, after)
}

// replace keeps what a file was beside it. An older copy is never lost.
func replace(path string, before, after []byte) error {
	if err := writeOutput([]string{path + ".orig"}, before, streams{}); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("replace the answers: %w", err)
	}
	if err := renameio.WriteFile(path, after, info.Mode().Perm()); err != nil {
		return fmt.Errorf("replace the answers: %w", err)
	}
	return nil
}
