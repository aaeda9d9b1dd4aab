package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

func answersExport(std streams) *cobra.Command {
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
				return usageError{errors.New("--dir is about what is in a folder: give it without --answers and --set")}
			}
			if o.dir != "" && !given("answers") && !given("set") {
				return exportFolder(o.dir, args, std)
			}
			return export(o, args, std)
		},
	}
	answersFlag(cmd, "the answers file")
	dirFlag(cmd, "the folder of an installation or of a draft, instead of an answers file")
	return cmd
}

func exportFolder(dir string, args []string, std streams) error {
	answers, err := folderAnswers(dir)
	if err != nil {
		return err
	}
	return deliver(args, wizard.Export(answers.Spec, answers.Origins), std)
}

// export writes the answers of the layers, which may lack some. Secrets are not looked up.
func export(o options, args []string, std streams) error {
	layers, err := o.layers()
	if err != nil {
		return err
	}
	all, err := layers.assemble()
	if err != nil {
		return err
	}
	there := func(string) (string, bool) { return "there", true }
	needs := wizard.Needs(all.Answers.Spec, nil, there)
	if !all.OnlyMissing(needs) {
		console.Faults(std.err, all.Faults())
		return answersError{errors.New("the answers have faults")}
	}
	for _, need := range needs {
		fmt.Fprintf(std.err, "warning: %s is still missing\n", need.Field)
	}
	return deliver(args, wizard.Export(all.Answers.Spec, all.Answers.Origins), std)
}

// folderAnswers returns the answers in force of an installation, or those of a draft so far.
func folderAnswers(dir string) (*wizard.Answers, error) {
	folder, err := state.Look(dir)
	if err != nil {
		return nil, usageError{err}
	}
	draft := state.DraftIn(folder.Path())
	name := state.AnswersFile
	if draft.Exists() {
		name = state.DraftFile
	}
	content, err := folder.Read(name)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s holds neither an installation nor a draft: %w", dir, err)}
	}
	answers := wizard.ReadDraft(filepath.Join(dir, name), content)
	for _, field := range wizard.Below("") {
		if _, told := answers.Origins[field.Key]; !told && field.Get(answers.Spec) != field.Default() {
			answers.Origins[field.Key] = name
		}
	}
	return answers, nil
}
