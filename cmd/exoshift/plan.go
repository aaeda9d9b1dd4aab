package main

import (
	"context"
	"errors"
	"fmt"

	"exoshift/internal/console"

	"github.com/spf13/cobra"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/run"
	"exoshift/provisioner/install"
)

func newPlanCommand(std streams) *cobra.Command {
	var expectNoChange bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show what is there and what an installation would create, change or delete; nothing is changed",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			answers, preview, err := showPlan(cmd.Context(), o, std)
			if err != nil {
				return err
			}
			if !expectNoChange {
				return nil
			}
			return changes.CheckUnchanged(answers, preview)
		},
	}
	addAnswersFlag(cmd, "the answers file")
	addCatalogFlag(cmd)
	addDirFlag(cmd, "the cluster's folder (default $XDG_STATE_HOME/exoshift/<cluster id>)")
	cmd.Flags().BoolVar(&expectNoChange, "expect-no-change", false, "fail if anything would be created, changed or deleted")
	addOutputFlag(cmd, "how to show it", outputPlain, outputJSON)
	return cmd
}

func showPlan(ctx context.Context, o options, std streams) (answers []changes.Answer, preview install.Preview, err error) {
	read, err := o.loadAnswers(std, environment.LookupEnv)
	if err != nil {
		return nil, preview, err
	}
	spec := read.answers.Spec
	s, leave, err := run.OpenPreview(ctx, o.host, o.dir, o.runOptions(), spec, read.secrets)
	if err != nil {
		return nil, preview, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	s.Access.SetLinkPrinter(std.linkPrinter())
	if answers, err = changes.Compare(s.Folder, spec); err != nil {
		return answers, preview, err
	}
	if preview, err = s.Preview(ctx); err != nil {
		return answers, preview, err
	}
	if o.output.isJSON() {
		return answers, preview, console.WritePlanJSON(std.out, answers, preview)
	}
	if len(answers) > 0 {
		console.PrintAnswerChanges(std.out, answers)
		fmt.Fprintln(std.out)
	}
	console.PrintPlan(std.out, spec, preview)
	return answers, preview, nil
}
