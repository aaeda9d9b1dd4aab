package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

func newExportCommand(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write the answers with every default spelled out, each with where it came from",
		Long: `Write the answers with every default spelled out, to FILE or to the standard output. A comment on each line says where
the answer came from. The answers are those of the layers, or with --dir those of an installation or of a draft. No secret
is written, only where it is found. A file that exists is never overwritten.`,
		Example: "  exoshift answers export --answers answers.yaml all.yaml\n  exoshift answers export --dir ~/.local/state/exoshift/c-demo-1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			given := cmd.Flags().Changed
			if given("dir") && (given("answers") || given("set")) {
				return exit.WithCode(exit.Usage, errors.New("--dir is about what is in a folder: give it without --answers and --set"))
			}
			if o.dir != "" && !given("answers") && !given("set") {
				return exportFolder(o.dir, args, std)
			}
			return export(o, args, std)
		},
	}
	addAnswersFlag(cmd, "the answers file")
	addDirFlag(cmd, "the folder of an installation or of a draft, instead of an answers file")
	return cmd
}

func exportFolder(dir string, args []string, std streams) error {
	answers, err := readFolderAnswers(dir)
	if err != nil {
		return err
	}
	return writeOutput(args, wizard.Export(answers.Spec, answers.Origins), std)
}

func export(o options, args []string, std streams) error {
	layers, err := o.readLayers()
	if err != nil {
		return err
	}
	all, err := layers.merge()
	if err != nil {
		return err
	}
	there := func(string) (string, bool) { return "there", true }
	needs := wizard.FindMissing(all.Answers.Spec, nil, there)
	if !all.IsOnlyMissing(needs) {
		console.PrintProblems(std.err, all.Problems())
		return exit.ErrAnswers
	}
	for _, need := range needs {
		fmt.Fprintf(std.err, "warning: %s is still missing\n", need.Field)
	}
	return writeOutput(args, wizard.Export(all.Answers.Spec, all.Answers.Origins), std)
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
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("%s holds neither an installation nor a draft: %w", dir, err))
	}
	answers := wizard.ReadDraft(filepath.Join(dir, name), content)
	for _, field := range wizard.FindFields("") {
		if _, told := answers.Origins[field.Key]; !told && field.Get(answers.Spec) != field.Default() {
			answers.Origins[field.Key] = name
		}
	}
	return answers, nil
}
