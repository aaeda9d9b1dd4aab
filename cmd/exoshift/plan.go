package main

import (
	"context"
	"errors"
	"fmt"

	"exoshift/internal/console"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/changes"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/run"
	"exoshift/provisioner/install"
	"exoshift/state"
)

func newPlanCommand(std cli.Streams) *cobra.Command {
	var expectNoChange bool
	cmd := &cobra.Command{
		Use:   "plan [ID]",
		Short: "Show what an installation would create, change or delete",
		Long: `Show what exists and what an installation would create, change or delete. The command is read-only.

With the ID or the folder of a cluster of this machine, the answers in its folder are used unless --answers is given. In shared
state, whether they would change anything is kept for "exoshift fleet status".`,
		Example: `  exoshift plan -a cluster.yaml
  exoshift plan c-demo-1 --expect-no-change
  exoshift plan c-demo-1 --set sizing.workers.count=5 -o json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), o, std, "plan", false, func(ctx context.Context, o cli.Options) error {
				answers, preview, err := showPlan(ctx, o, std)
				if err != nil {
					return err
				}
				unchanged := changes.CheckUnchanged(answers, preview)
				if cli.KeepDrift(o, std, unchanged); !expectNoChange {
					return nil
				}
				return unchanged
			})
		},
	}
	cli.AddAnswersFlag(cmd, "answers file")
	cli.AddCatalogFlag(cmd)
	cli.AddDirFlag(cmd, "the cluster's folder (default $XDG_STATE_HOME/exoshift/<cluster id>); its answers are used unless --answers is given")
	cli.AddStateFlag(cmd)
	cmd.Flags().BoolVar(&expectNoChange, "expect-no-change", false, "exit with an error if anything would be created, changed or deleted")
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON, cli.OutputMarkdown)
	return cmd
}

// loadPlannedAnswers reads the answers file, or else the answers in force in the folder.
func loadPlannedAnswers(o cli.Options, std cli.Streams) (layers.Loaded, error) {
	folder, err := state.Open(o.Dir)
	if o.Answers != "" || o.Dir == "" || err != nil {
		return o.LoadAnswers(std, environment.LookupEnv)
	}
	given, err := layers.ReadFolder(folder.Path(state.AnswersFile), o.Set)
	if err != nil {
		return layers.Loaded{}, err
	}
	return std.LoadAnswers(given, environment.LookupEnv)
}

func showPlan(ctx context.Context, o cli.Options, std cli.Streams) (answers []changes.Answer, preview install.Preview, err error) {
	read, err := loadPlannedAnswers(o, std)
	if err != nil {
		return nil, preview, err
	}
	spec := read.Answers.Spec
	s, leave, err := run.OpenPreview(ctx, o.Host, o.Dir, o.RunOptions(), spec, read.Secrets)
	if err != nil {
		return nil, preview, err
	}
	defer func() { err = errors.Join(err, leave()) }()
	s.Access.SetLinkPrinter(std.LinkPrinter())
	if answers, err = changes.Compare(s.Folder, spec); err != nil {
		return answers, preview, err
	}
	if preview, err = s.Preview(ctx); err != nil {
		return answers, preview, err
	}
	if o.Output.IsJSON() {
		return answers, preview, console.WritePlanJSON(std.Out, answers, preview)
	}
	if o.Output == cli.OutputMarkdown {
		console.PrintPlanMarkdown(std.Out, spec, answers, preview)
		return answers, preview, nil
	}
	if len(answers) > 0 {
		console.PrintAnswerChanges(std.Out, answers)
		fmt.Fprintln(std.Out)
	}
	console.PrintPlan(std.Out, spec, preview)
	return answers, preview, nil
}
