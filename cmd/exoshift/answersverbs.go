package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
	"exoshift/wizard/schema"
)

func newAnswersCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Manage answers files",
		Long: `Create, validate, explain and export answers files.

An answers file has all settings of an installation. Answers come in layers; the first layer with an answer wins:

  --set KEY=VALUE                    one answer of this run
  EXOSHIFT_KEY                       the same in the environment, e.g. EXOSHIFT_NETWORK_PODCIDR
  --answers FILE                     the answers file
  ~/.config/exoshift/config.yaml     your usual answers, of the same form ($XDG_CONFIG_HOME is respected)
  defaults

Answers never contain secrets, only references: {env: NAME} or {file: PATH}, in flags env:NAME or file:PATH. The API key and its
secret can also refer to an account of the exo CLI: {exo: ACCOUNT}, or exo:ACCOUNT.`,
		Example: `  exoshift answers new cluster.yaml
  exoshift answers validate cluster.yaml
  exoshift answers explain network.podCIDR`,
		Args: cobra.ArbitraryArgs,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newTemplateCommand(std), newValidateCommand(std), newSchemaCommand(std), newExplainAnswersCommand(std), newExportCommand(std))
	for _, command := range cmd.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	return cmd
}

func newTemplateCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "new [FILE]",
		Short: "Create an answers file to fill in",
		Long: `Create an answers file to fill in: FILE, or the standard output. Answers without a default come first and are empty; all
others are comments with their defaults. An existing file is never overwritten.`,
		Example: "  exoshift answers new answers.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return writeOutput(args, schema.Template(), std)
		},
	}
}

func newSchemaCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [FILE]",
		Short: "Print the JSON Schema of answers files",
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
func writeOutput(args []string, content []byte, std cli.Streams) error {
	if len(args) == 0 {
		_, err := std.Out.Write(content)
		return err
	}
	file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return exit.WithCode(exit.Usage, fmt.Errorf("%s already exists and was not changed; use another file name", args[0]))
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

func newExplainAnswersCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain [KEY]",
		Short: "Show answers, their sources and their documentation",
		Long: `Without KEY: a table of all answers, and for each where it came from: a flag, a variable, a line of a file, or the
default. With the KEY of an answer: its meaning, its source, the allowed values, and its current value.
With a section such as "network": all keys of the section. For a secret, only the reference is shown.`,
		Example:           "  exoshift answers explain --answers answers.yaml\n  exoshift answers explain network.podCIDR",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteKeys,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			return explainAnswers(o, args, std)
		},
	}
	cli.AddAnswersFlag(cmd, "answers file")
	return cmd
}

func explainAnswers(o cli.Options, args []string, std cli.Streams) error {
	fields := answersfile.FindFields("")
	if len(args) > 0 {
		if fields = answersfile.FindFieldsOrFact(args[0]); len(fields) == 0 {
			return newUnknownKeyError(args[0])
		}
	}
	all, err := o.MergeLayers()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		console.PrintAnswers(std.Out, fields, all.Answers)
	} else {
		printFields(fields, all.Answers, std)
	}
	if o.Answers == "" { // a key is explained without answers, too
		return nil
	}
	if faults := all.Problems(); len(faults) > 0 {
		console.PrintProblems(std.Err, faults)
		return exit.ErrAnswers
	}
	return nil
}

func printFields(fields []wizard.Field, answers *wizard.Answers, std cli.Streams) {
	for i, field := range fields {
		if i > 0 {
			fmt.Fprintln(std.Out)
		}
		console.PrintField(std.Out, field, answers)
	}
}

func newUnknownKeyError(name string) error {
	problem := fmt.Sprintf("unknown key %q", name)
	if meant := answersfile.FindNearest(name); meant != "" {
		problem += "; did you mean " + meant + "?"
	}
	return exit.WithCode(exit.Usage, errors.New(problem+"\n  see: exoshift answers explain"))
}

func newExportCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Export the answers with all defaults and their sources",
		Long: `Export the answers with all defaults, to FILE or to the standard output. A comment on each line says where
the answer came from. The answers are those of the layers, or with --dir those of an installation or of a draft. No secret
is written, only where it is found. A file that exists is never overwritten.`,
		Example: "  exoshift answers export --answers answers.yaml all.yaml\n  exoshift answers export --dir ~/.local/state/exoshift/c-demo-1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			given := cmd.Flags().Changed
			if given("dir") && (given("answers") || given("set")) {
				return exit.WithCode(exit.Usage, errors.New("--dir excludes --answers and --set: it exports the answers in that folder"))
			}
			if o.Dir != "" && !given("answers") && !given("set") {
				return exportFolder(o.Dir, args, std)
			}
			return export(o, args, std)
		},
	}
	cli.AddAnswersFlag(cmd, "answers file")
	cli.AddDirFlag(cmd, "the folder of an installation or of a draft, instead of an answers file")
	return cmd
}

func exportFolder(dir string, args []string, std cli.Streams) error {
	answers, err := readFolderAnswers(dir)
	if err != nil {
		return err
	}
	return writeOutput(args, answersfile.Export(answers.Spec, answers.Origins), std)
}

func export(o cli.Options, args []string, std cli.Streams) error {
	all, err := o.MergeLayers()
	if err != nil {
		return err
	}
	there := func(string) (string, bool) { return "there", true }
	needs := answersfile.FindMissing(all.Answers.Spec, nil, there)
	if !all.IsOnlyMissing(needs) {
		console.PrintProblems(std.Err, all.Problems())
		return exit.ErrAnswers
	}
	for _, need := range needs {
		fmt.Fprintf(std.Err, "warning: %s is still missing\n", need.Field)
	}
	return writeOutput(args, answersfile.Export(all.Answers.Spec, all.Answers.Origins), std)
}

func readFolderAnswers(dir string) (*wizard.Answers, error) {
	folder, err := state.OpenReadOnly(dir)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, err)
	}
	draft := state.OpenDraftReadOnly(folder.Path())
	name := state.AnswersFile
	if draft.Exists() {
		name = state.DraftFile
	}
	content, err := folder.Read(name)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s contains neither an installation nor a draft: %w", dir, err))
	}
	answers := answersfile.ReadDraft(filepath.Join(dir, name), content)
	for _, field := range answersfile.FindFields("") {
		if _, known := answers.Origins[field.Key]; !known && field.Get(answers.Spec) != field.Default() {
			answers.Origins[field.Key] = name
		}
	}
	return answers, nil
}

func newValidateCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate [FILE]",
		Short: "Validate an answers file",
		Long: `Validate an answers file together with the layers above and below it. All errors are listed at once, each with its
location, the allowed values, and a suggestion. No service is contacted.

Secrets and files that the answers refer to and that this machine does not have are warnings only: they may exist where the
installation runs. The exit code is 0 without errors, 3 with errors, 2 for wrong usage.

With --output json, each error and each warning is an object on a line of its own, and the last line counts them.`,
		Example:           "  exoshift answers validate answers.yaml\n  exoshift answers validate answers.yaml --set exoscale.zone=de-fra-1 --output json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteAnswersFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.Bind(cmd, std)
			switch {
			case err != nil:
				return err
			case len(args) > 0 && cmd.Flags().Changed("answers"):
				return exit.WithCode(exit.Usage, fmt.Errorf("%s and --answers exclude each other", args[0]))
			case len(args) > 0:
				o.Answers = args[0]
			case o.Answers == "":
				return exit.WithCode(exit.Usage, errors.New("no file: name the answers file, e.g. exoshift answers validate answers.yaml"))
			}
			return validate(o, std)
		},
	}
	cli.AddAnswersFlag(cmd, "answers file, instead of FILE")
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	return cmd
}

func validate(o cli.Options, std cli.Streams) error {
	all, err := o.MergeLayers()
	if err != nil {
		return err
	}
	secrets, absent := all.TryResolve(environment.LookupEnv)
	spec := all.Answers.Spec
	warnings := append(absent, all.WithPositions(local.CheckWarnings(spec, secrets))...)
	warnings = append(warnings, answersfile.CheckVariables(spec, layers.ListVariableNames())...)
	verdict := validationReport{faults: all.Problems(), warnings: warnings}
	if o.Output.IsJSON() {
		err = verdict.printJSON(std.Out)
	} else {
		verdict.printPlain(std.Out)
	}
	if err == nil && len(verdict.faults) > 0 {
		err = exit.ErrAnswers
	}
	return err
}

type validationReport struct{ faults, warnings []wizard.Problem }

func (v validationReport) printPlain(w io.Writer) {
	console.PrintProblems(w, v.faults)
	for _, warning := range v.warnings {
		fmt.Fprintln(w, "warning:", console.SanitizeLine(warning.String()))
	}
	fmt.Fprintf(w, "errors: %d, warnings: %d\n", len(v.faults), len(v.warnings))
}

type problemLine struct {
	Type       string `json:"type"` // fault or warning
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	Field      string `json:"field"`
	Problem    string `json:"problem"`
	Allowed    string `json:"allowed,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
}

func (v validationReport) printJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	var errs []error
	for _, part := range []struct {
		name   string
		faults []wizard.Problem
	}{{"fault", v.faults}, {"warning", v.warnings}} {
		for _, f := range part.faults {
			errs = append(errs, encoder.Encode(problemLine{part.name, f.File, f.Line, f.Column, f.Field, f.Message, f.Allowed, f.Suggestion}))
		}
	}
	return errors.Join(append(errs, encoder.Encode(map[string]any{"type": "result", "faults": len(v.faults), "warnings": len(v.warnings)}))...)
}
