package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/internal/console/prompt"
	"exoshift/internal/fault"
	"exoshift/provisioner/install"
)

// execute returns the exit code. Every error is printed once, here.
func execute(ctx context.Context, args []string, std streams) int {
	std.lines, std.host = prompt.NewLineReader(std.in), &environment.Host{}
	defer std.host.Close()
	root := newRootCommand(std)
	root.SetArgs(args)
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = std.checkWritten()
	}
	printError(std.err, err)
	return exit.Code(err)
}

// printError skips errors that have been printed already.
func printError(w io.Writer, err error) {
	if err == nil || exit.IsPrinted(err) {
		return
	}
	fmt.Fprintf(w, "exoshift: %s\n", console.SanitizeLine(err.Error()))
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintf(w, "  %s\n", console.SanitizeLine(hint))
	}
}

func newRootCommand(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "exoshift",
		Short: "Install OpenShift 4 on Exoscale",
		Long: `Install OpenShift 4 on Exoscale

Begin with: exoshift install. On a terminal it asks what the cluster should be, checks whether everything is in place
and shows what it would create and what that costs. Nothing is created before you agree.

To see it all before, on a simulated zone and for nothing: exoshift rehearse --interactive`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return newUnknownCommandError(cmd, args[0])
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exit.WithCode(exit.Usage, fmt.Errorf("%w\n  see: %s --help", err, cmd.CommandPath()))
	})
	root.AddCommand(installCommand(std), newRehearseCommand(std), newSimulateCommand(std), checkCommand(std), newPlanCommand(std), newStatusCommand(std), newReplayCommand(std), newDestroyCommand(std), newEmergencyCommand(std), newConformanceCommand(std), newBundleCommand(std), verifyCommand(std), newAnswersCommand(std), newVersionCommand(std), newProbeCommand(std), newSimulatedInstaller(std))
	for _, command := range root.Commands() {
		command.Args = withUsageError(command.Args)
	}
	return root
}

func newUnknownCommandError(parent *cobra.Command, name string) error {
	problem := fmt.Sprintf("there is no command %q", name)
	if similar := parent.SuggestionsFor(name); len(similar) > 0 {
		problem += "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return exit.WithCode(exit.Usage, errors.New(problem+"\n  see: "+parent.CommandPath()+" --help"))
}

func withUsageError(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			check = cobra.NoArgs
		}
		if err := check(cmd, args); err != nil {
			return exit.WithCode(exit.Usage, err)
		}
		return nil
	}
}

func bind(cmd *cobra.Command, std streams) (options, error) {
	layers, err := bindFlags(cmd)
	if err != nil {
		return options{}, err
	}
	installer, err := toAbsolutePath(layers.GetString("openshift-install"))
	if err != nil {
		return options{}, err
	}
	set, err := parseAssignments(cmd)
	if err != nil {
		return options{}, err
	}
	chosen, err := bindOutput(cmd, layers, std)
	o := options{
		answers: layers.GetString("answers"), set: set, dir: layers.GetString("dir"), output: chosen, ascii: layers.GetBool("ascii"), yes: layers.GetBool("yes"),
		waitForDNS: layers.GetDuration("wait-for-dns"), installer: installer,
		releaseKey: layers.GetString("release-key"), renew: layers.GetBool("renew-certificates"),
		newKeys:         layers.GetStringSlice(newKeyName),
		bootstrapAccess: layers.GetBool("look-inside"),
		host:            std.host,
	}
	return o, errors.Join(err, o.bindHostKeys(cmd, layers))
}

func bindFlags(cmd *cobra.Command) (*viper.Viper, error) {
	layers := viper.New()
	layers.SetEnvPrefix("EXOSHIFT")
	layers.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	layers.AutomaticEnv()
	if err := layers.BindPFlags(cmd.Flags()); err != nil {
		return nil, fmt.Errorf("read the flags: %w", err)
	}
	return layers, nil
}

func addAnswersFlag(cmd *cobra.Command, usage string) {
	cmd.Flags().String("answers", "", usage)
	setFlag(cmd)
}

// addCatalogFlag is short for --set syn.catalogDir=PATH.
func addCatalogFlag(cmd *cobra.Command) {
	cmd.Flags().String(catalogName, "", "a compiled catalog on this machine, in place of one that is compiled during the installation")
}

func addDirFlag(cmd *cobra.Command, usage string) { cmd.Flags().String("dir", "", usage) }

func waitFlag(cmd *cobra.Command) {
	cmd.Flags().Duration("wait-for-dns", install.DefaultWaitForDNS, "how long to wait until the domain is delegated, which a human has to do")
}

func releaseFlags(cmd *cobra.Command) {
	cmd.Flags().String("openshift-install", "", "run this openshift-install instead of downloading it")
	cmd.Flags().String("release-key", "", "verify downloads by the OpenPGP public key in this file instead of the publisher's, e.g. for a mirror that signs")
}

func addRenewFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("renew-certificates", false, "if the cluster was not started within 12 hours: generate its certificates anew and replace the machines that hold the old ones")
}

const newKeyName = "approve-new-key"

// newKeyFlag applies to one run, and is therefore not part of the command that resumes it.
func newKeyFlag(cmd *cobra.Command) {
	cmd.Flags().StringSlice(newKeyName, nil, "`nodes` whose machines may get their first certificate for one key more, after the usual 4; may be repeated")
}

func addBootstrapAccessFlag(cmd *cobra.Command) {
	cmd.Flags().Bool("look-inside", true, "open the bootstrap machine's SSH port, API and journal to this machine's own address while the bootstrap lasts")
}

func addScreenFlags(cmd *cobra.Command) {
	addOutputFlag(cmd, "how to show it", outputAuto, outputTUI, outputPlain, outputJSON)
	cmd.Flags().Bool("ascii", false, "draw the dashboard with ASCII alone, for terminals without other symbols")
}

func newVersionCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(std.out, "exoshift", version)
			return err
		},
	}
}
