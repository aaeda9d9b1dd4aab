package main

import (
	"context"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/aboutverbs"
	"exoshift/cmd/exoshift/backupverbs"
	"exoshift/cmd/exoshift/check"
	"exoshift/cmd/exoshift/cli"
	"exoshift/cmd/exoshift/fleetverbs"
	"exoshift/cmd/exoshift/nodeverbs"
	"exoshift/cmd/exoshift/powerverbs"
	"exoshift/cmd/exoshift/recoververbs"
	"exoshift/cmd/exoshift/restoreverbs"
	"exoshift/cmd/exoshift/rotateverbs"
	"exoshift/cmd/exoshift/stateverbs"
	"exoshift/cmd/exoshift/upgradeverb"
	"exoshift/cmd/exoshift/zoneverbs"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console/prompt"
)

// execute returns the exit code. Every error is printed once, here.
func execute(ctx context.Context, args []string, std cli.Streams) int {
	std.Lines, std.Host = prompt.NewLineReader(std.In), &environment.Host{}
	defer std.Host.Close()
	root := newRootCommand(std)
	root.SetArgs(args)
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = std.CheckWritten()
	}
	if !exit.IsPrinted(err) {
		cli.PrintError(std.Err, err)
	}
	return exit.Code(err)
}

func newRootCommand(std cli.Streams) *cobra.Command {
	var printVersion bool
	build := newBuild()
	root := &cobra.Command{
		Use:   "exoshift",
		Short: "Install OpenShift 4 on Exoscale",
		Long: `Install OpenShift 4 on Exoscale

Start with "exoshift install": on a terminal it asks for the cluster's settings, checks all requirements, and shows what
it will create and what that costs. Nothing is created before you confirm.

To try it first on a simulated zone, without an account and at no cost: exoshift rehearse --interactive`,
		Example: `  exoshift install
  exoshift rehearse --interactive
  exoshift check --zone ch-gva-2`,
		Annotations:   map[string]string{cli.ProgramKey: build.Describe()},
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if printVersion && len(args) == 0 {
				return build.Print(std.Out)
			}
			return cli.RunGroup(cmd, args)
		},
	}
	root.Flags().BoolVar(&printVersion, "version", false, "print the version")
	root.SetFlagErrorFunc(cli.NewFlagError)
	root.AddCommand(installCommand(std), newRehearseCommand(std), zoneverbs.NewSimulateCommand(std), check.NewCommand(std, version), newPlanCommand(std), newStatusCommand(std), newReplayCommand(std), newDestroyCommand(std), newEmergencyCommand(std), newConformanceCommand(std), newBundleCommand(std), verifyCommand(std), stateverbs.NewMachineListCommand(std), stateverbs.NewCommand(std), stateverbs.NewAttachCommand(std), fleetverbs.NewCommand(std), nodeverbs.NewCommand(std), upgradeverb.NewCommand(std), newAnswersCommand(std), newExplainCommand(std), cli.NewCompletionCommand(std), check.NewProbeCommand(std), zoneverbs.NewCopyImageCommand(std), zoneverbs.NewInstallerCommand(std))
	root.AddCommand(backupverbs.NewCommand(std))
	root.AddCommand(powerverbs.NewCommands(std)...)
	root.AddCommand(rotateverbs.NewCommand(std), rotateverbs.NewKubeconfigCommand(std))
	root.AddCommand(recoververbs.NewCommand(std), restoreverbs.NewCommand(std))
	root.AddCommand(aboutverbs.NewCommands(std, build)...)
	for _, command := range root.Commands() {
		command.Args = cli.WithUsageError(command.Args)
	}
	root.SetHelpCommand(cli.NewHelpCommand())
	cli.AddCompletions(root, std)
	return root
}
