package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"exoshift/internal/app/exit"
	"exoshift/wizard/schema"
)

func newAnswersCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Write, check, explain and export answers files",
		Long: `Write, check, explain and export answers files.

An answers file says everything that an installation has to know. Answers come in layers: what a higher one does not say,
the next one below does.

  --set KEY=VALUE                    one answer of this run
  EXOSHIFT_KEY                       the same in the environment, e.g. EXOSHIFT_NETWORK_PODCIDR
  --answers FILE                     the answers file
  ~/.config/exoshift/config.yaml     your usual answers, of the same form ($XDG_CONFIG_HOME is respected)
  defaults

Secrets are in none of them: they refer to where a secret is found, {env: NAME} or {file: PATH}, as a flag env:NAME or
file:PATH. The API key and its secret may also be those of an account of the program exo, {exo: ACCOUNT} or exo:ACCOUNT.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return newUnknownCommandError(cmd, args[0])
		},
	}
	cmd.AddCommand(newTemplateCommand(std), newValidateCommand(std), newSchemaCommand(std), newExplainCommand(std), newExportCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = withUsageError(command.Args)
	}
	return cmd
}

func newTemplateCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "new [FILE]",
		Short: "Write an answers file to start with",
		Long: `Write an answers file to start with, to FILE or to the standard output. What has no default comes first and is empty;
everything else is there as a comment, with its default. A file that exists is never overwritten.`,
		Example: "  exoshift answers new answers.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return writeOutput(args, schema.Template(), std)
		},
	}
}

func newSchemaCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [FILE]",
		Short: "Write the JSON Schema of answers files, for editors",
		Long: `Write the JSON Schema (2020-12) of answers files, to FILE or to the standard output. Editors with the YAML language
server complete and check answers by it if the answers file begins with this line:

  # yaml-language-server: $schema=answers.schema.json

It knows the forms, the choices and the bounds of single answers; "exoshift answers validate" checks them together, too.`,
		Example: "  exoshift answers schema answers.schema.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			content, err := schema.Generate()
			if err != nil {
				return err
			}
			return writeOutput(args, content, std)
		},
	}
}

// writeOutput writes content to the file that the arguments name, which must not exist, or to the standard output.
func writeOutput(args []string, content []byte, std streams) error {
	if len(args) == 0 {
		_, err := std.out.Write(content)
		return err
	}
	file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return exit.WithCode(exit.Usage, fmt.Errorf("%s exists already and stays as it is; name another file", args[0]))
	}
	if err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("write the file: %w", err))
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", args[0], err)
	}
	return nil
}
