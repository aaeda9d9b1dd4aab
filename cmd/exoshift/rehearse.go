package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/cmd/exoshift/day2script"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/rehearsal"
	"exoshift/internal/simcloud/scenario"
)

func newRehearseCommand(std cli.Streams) *cobra.Command {
	var r rehearsal.Rehearsal
	var interactive, listScenarios bool
	script := day2script.Script{NewRoot: func() *cobra.Command { return newRootCommand(std) }}
	cmd := &cobra.Command{
		Use:   "rehearse",
		Short: "Rehearse an installation on a simulated zone",
		Long: `Rehearse an installation on a simulated zone: the same steps as "exoshift install", without real resources or cost.

Virtual time passes --speed times as fast as real time. If this machine is too slow for that, virtual time slows down; the
installation itself stays the same.`,
		Example: `  exoshift rehearse --interactive
  exoshift rehearse -a cluster.yaml --speed 300
  exoshift rehearse --scenario load-balancer-packages,late-dns
  exoshift rehearse --dir rehearsal --day2 verbs.txt
  exoshift rehearse --list-scenarios`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listScenarios {
				return printScenarios(std.Out)
			}
			o, err := cli.Bind(cmd, std)
			if err != nil {
				return err
			}
			r.Request = o.Request
			return runRehearsal(cmd.Context(), o, r, interactive, script, std)
		},
	}
	cli.AddAnswersFlag(cmd, "answers file (default: an example)")
	cli.AddDirFlag(cmd, "the cluster's folder; the simulated zone is kept beside it (default: a temporary folder)")
	cli.AddScreenFlags(cmd)
	cli.AddAccessibleFlag(cmd)
	cli.AddWaitFlag(cmd)
	cmd.Flags().String("openshift-install", "", "openshift-install to run instead of the simulated one")
	cli.AddRenewFlag(cmd)
	cli.AddNewKeyFlag(cmd)
	cli.AddCatalogFlag(cmd)
	cli.AddBootstrapAccessFlag(cmd)
	cli.AddImageFromFlag(cmd)
	cli.AddTrustTokenFlag(cmd)
	cli.AddResponseFlags(cmd)
	cmd.Flags().BoolVar(&interactive, "interactive", false, "ask for the answers first, like install on a terminal")
	cmd.Flags().Float64Var(&r.Speed, "speed", environment.DefaultSpeed, "times as fast as real time, 1 to 3600")
	cli.AddScenarioFlag(cmd.Flags(), &r.Scenario, scenario.None, "failures to inject, separated by commas; see --list-scenarios")
	cmd.Flags().StringVar(&script.Path, "day2", "", "file with verbs for the installed cluster, one a line, such as: nodes remove worker-2")
	cmd.Flags().BoolVar(&listScenarios, "list-scenarios", false, "list the scenarios")
	return cmd
}

func printScenarios(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range scenario.List() {
		fmt.Fprintf(table, "%s\t%s\n", s.Name, s.Description)
	}
	return table.Flush()
}

func runRehearsal(ctx context.Context, o cli.Options, r rehearsal.Rehearsal, interactive bool, script day2script.Script, std cli.Streams) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if interactive && script.Path != "" {
		return exit.WithCode(exit.Usage, errors.New("--day2 and --interactive exclude each other"))
	}
	if interactive && !r.IsResumed() {
		return rehearseInteractive(ctx, o, r, std)
	}
	given, err := r.SelectLayers()
	if err != nil {
		return err
	}
	read, err := std.LoadAnswers(given, environment.LookupRehearsalSecret)
	if err != nil {
		return err
	}
	return script.Rehearse(ctx, o, std, &r, func() error { return r.Run(ctx, o.NewDisplay(std), read) })
}

func rehearseInteractive(ctx context.Context, o cli.Options, r rehearsal.Rehearsal, std cli.Streams) error {
	if !o.Output.IsInteractive() {
		return exit.WithCode(exit.Usage, errors.New("--interactive needs a terminal; without one, use --answers FILE"))
	}
	if r.Answers != "" {
		read, err := o.ReadAnswers(std, environment.LookupRehearsalSecret)
		if err != nil {
			return err
		}
		r.Loaded = &read
	}
	d := &startScreen{flags: o, std: std, frontend: o.Output.NewFrontend(std), open: func(ctx context.Context) (*interview.Backend, error) {
		return interview.NewRehearsal(ctx, r)
	}}
	return d.run(ctx)
}
