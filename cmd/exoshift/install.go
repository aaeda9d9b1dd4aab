package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/console"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/interview"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/run"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
)

func installCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "install [ID]",
		Short: "Install a cluster, or resume an installation",
		Long: `Install a cluster, or resume an installation.

On a terminal without --answers, a wizard asks for the settings, checks all requirements and shows the plan and its cost.
Nothing is created before you confirm. An installation that was interrupted continues where it stopped.`,
		Example: `  exoshift install                                   # wizard, checks, plan, confirmation
  exoshift install -a cluster.yaml -y -o json        # without a terminal
  exoshift install -d ~/.local/state/exoshift/c-demo-1   # resume
  exoshift install --state 's3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io' c-demo-1   # goes on where a colleague's stopped`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			if o.State != nil {
				return installShared(cmd.Context(), o, std)
			}
			return installCluster(cmd.Context(), o, std)
		},
	}
	cli.AddAnswersFlag(cmd, "answers file")
	cli.AddDirFlag(cmd, "the cluster's folder (default $XDG_STATE_HOME/exoshift/<cluster id>)")
	cli.AddStateFlag(cmd)
	cli.AddYesFlag(cmd, "create the resources of the plan without a prompt")
	cli.AddScreenFlags(cmd)
	cli.AddAccessibleFlag(cmd)
	cli.AddWaitFlag(cmd)
	cli.AddReleaseFlags(cmd)
	cli.AddHostKeysFlag(cmd)
	cli.AddRenewFlag(cmd)
	cli.AddNewKeyFlag(cmd)
	cli.AddCatalogFlag(cmd)
	cli.AddBootstrapAccessFlag(cmd)
	cli.AddImageFromFlag(cmd)
	cli.AddTrustTokenFlag(cmd)
	cli.AddPlanFlag(cmd)
	cli.AddResponseFlags(cmd)
	return cmd
}

func installCluster(ctx context.Context, o cli.Options, std cli.Streams) error {
	if o.Answers == "" {
		return installInteractive(ctx, o, std)
	}
	read, err := o.ReadAnswers(std, environment.LookupEnv)
	if err != nil {
		return err
	}
	return installAnswered(ctx, o, std, read)
}

// installShared installs a cluster whose folder is in shared state. Without answers those in force there apply.
func installShared(ctx context.Context, o cli.Options, std cli.Streams) error {
	if o.Answers != "" { // faults of the answers are found before anything is contacted
		read, err := o.ReadAnswers(std, environment.LookupEnv)
		if err == nil {
			err = std.CheckComplete(read)
		}
		if err != nil {
			return err
		}
	}
	if o.Answers == "" && o.ID == "" && o.Output.IsInteractive() {
		return installSharedInteractive(ctx, o, std)
	}
	return cli.RunOnCluster(ctx, o, std, "install", true, func(ctx context.Context, o cli.Options) error {
		folder, err := state.Open(o.Dir)
		switch {
		case o.Answers != "":
			return installCluster(ctx, o, std)
		case err != nil:
			return exit.WithCode(exit.Usage, fmt.Errorf("cluster %s is not in shared state; to install it, use --answers FILE", o.ID))
		}
		return resumeInstallation(ctx, o, std, folder)
	})
}

// installAnswered asks for missing answers, if the run is interactive.
func installAnswered(ctx context.Context, o cli.Options, std cli.Streams, read layers.Loaded) error {
	switch {
	case len(read.Missing) == 0:
		return installAs(ctx, o, std, read.Answers.Spec, read.Secrets)
	case !o.Output.IsInteractive():
		return std.CheckComplete(read)
	}
	d := &startScreen{flags: o, std: std, frontend: o.Output.NewFrontend(std), open: func(ctx context.Context) (*interview.Backend, error) {
		return interview.NewPartial(ctx, o.Request, read)
	}}
	return d.run(ctx)
}

func installAs(ctx context.Context, o cli.Options, std cli.Streams, spec state.Spec, secrets wizard.Secrets) error {
	if err := compareWithFlags(o, spec, std); err != nil {
		return err
	}
	if err := confirmPlan(ctx, &o, spec, secrets, std); err != nil {
		return err
	}
	if err := cli.CheckPlan(ctx, o, spec, secrets); err != nil {
		return err
	}
	folder, err := o.CreateFolder(spec)
	if err != nil {
		return err
	}
	unlock, err := folder.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := o.OpenRun(ctx, spec, secrets, folder)
	if err != nil {
		return err
	}
	return s.Install(ctx, o.NewDisplay(std))
}

func compareWithFlags(o cli.Options, spec state.Spec, std cli.Streams) error {
	dir := o.Dir
	if dir == "" {
		var err error
		if dir, err = clusterdir.DefaultPath(spec.Cluster.ID); err != nil {
			return err
		}
	}
	folder, err := state.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	return changes.Check(folder, spec, o.NewDisplay(std).ShowAnswers)
}

// confirmPlan asks for confirmation before anything is created; without a terminal --yes is required.
func confirmPlan(ctx context.Context, o *cli.Options, spec state.Spec, secrets wizard.Secrets, std cli.Streams) error {
	if o.Yes {
		return nil
	}
	s, leave, err := run.OpenPreview(ctx, o.Host, o.Dir, o.RunOptions(), spec, secrets)
	if err != nil {
		return err
	}
	defer func() { _ = leave() }() // it is read-only
	if err := promptRenewal(ctx, s.Folder, o, std); err != nil {
		return err
	}
	s.Access.SetLinkPrinter(std.LinkPrinter())
	preview, err := s.Preview(ctx)
	if err != nil {
		return err
	}
	if !o.Output.IsInteractive() {
		console.PrintPlan(std.Err, spec, preview)
		if err := changes.CheckPlan(preview); err != nil {
			return err
		}
		return exit.WithCode(exit.Usage, errors.New("nothing was created: use --yes to create the resources of the plan"))
	}
	console.PrintPlan(o.Output.WrapWriter(std.Out), spec, preview)
	if err := changes.CheckPlan(preview); err != nil {
		return err
	}
	if err := promptImageSource(ctx, s.Folder, preview, o, std); err != nil {
		return err
	}
	yes, err := promptYesNo(ctx, std, "\nCreate these resources? They cost money from now on.")
	if err == nil && !yes {
		err = exit.WithCode(exit.Usage, errors.New("nothing was created"))
	}
	return err
}

func promptYesNo(ctx context.Context, std cli.Streams, question string) (yes bool, err error) {
	fmt.Fprint(std.Out, question+" [y/N] ")
	answer, err := std.ReadLine(ctx)
	if err != nil {
		return false, fmt.Errorf("nothing was created: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// promptImageSource asks whether a machine in the zone is to copy the node image, if its upload from here was measured to be slow.
func promptImageSource(ctx context.Context, folder state.Folder, preview install.Preview, o *cli.Options, std cli.Streams) error {
	facts, err := folder.LoadFacts()
	uploads := slices.ContainsFunc(preview.ListPending(), func(c install.Change) bool { return c.Kind == state.KindTemplate })
	if err != nil || o.ImageFromZone || facts.UploadMinutes == 0 || !uploads {
		return err
	}
	fmt.Fprintf(std.Out, "\nThe upload of the node image takes about %d minutes from here, as an earlier run measured. A small instance in\n"+
		"the zone copies it in a few minutes, for a few cents at most, and is deleted afterwards.\n", facts.UploadMinutes)
	o.ImageFromZone, err = promptYesNo(ctx, std, "Copy it in the zone?")
	return err
}

// promptRenewal asks whether to replace expired certificates, with which no cluster can be started. Without a terminal, or
// after a no, the run continues: the cluster may be running already. The installation checks that, and else fails with the
// name of the flag.
func promptRenewal(ctx context.Context, folder state.Folder, o *cli.Options, std cli.Streams) error {
	facts, err := folder.LoadFacts()
	if err != nil {
		return err
	}
	ended := !facts.IgnitionExpires.IsZero() && time.Now().After(facts.IgnitionExpires)
	if !o.Output.IsInteractive() || !ended || !facts.BootstrapRemoved.IsZero() {
		return nil
	}
	fmt.Fprintf(std.Out, "The certificates for the start of this cluster expired at %s.\n"+
		"New ones require new instances: the bootstrap machine and the nodes with the\n"+
		"old ones are deleted and created again. Network, DNS, load balancers, image and buckets stay.\n"+
		"A cluster that is already running does not need this.\n",
		facts.IgnitionExpires.UTC().Format("2006-01-02 15:04 MST"))
	if o.Renew {
		return nil
	}
	o.Renew, err = promptYesNo(ctx, std, "Replace them?")
	return err
}
