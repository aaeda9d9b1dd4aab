package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/assets"
	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/request"
	"exoshift/internal/app/teardown"
	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// destroyFlags are not read from the environment: variables exported for another cluster must not destroy this one.
type destroyFlags struct {
	cli.Options
	dryRun        bool
	confirmID     string
	deleteBackups bool
	// includeForeignRecords deletes the DNS zone with records that the installation did not create.
	includeForeignRecords bool
}

func newDestroyCommand(std cli.Streams) *cobra.Command {
	var d destroyFlags
	cmd := &cobra.Command{
		Use:   "destroy [ID]",
		Short: "Delete a cluster and all of its resources",
		Long: `Delete a cluster and all of its resources, and verify that nothing is left.

A resource belongs to the cluster if its label, the journal in the cluster's folder, the exact name, or the owner mark of a
bucket proves it. Resources that the cluster claims to have created count only if the cloud confirms it. Everything else is
kept; similar resources are listed with the reason. If the folder is lost, the answers file is sufficient. Resources that
could not be deleted are listed; the same command continues.`,
		Example: `  exoshift destroy -d ~/.local/state/exoshift/c-demo-1 --dry-run
  exoshift destroy -d ~/.local/state/exoshift/c-demo-1 --confirm-destroy c-demo-1`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cli.CompleteClusters(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := cli.BindCluster(cmd, args, std)
			if err != nil {
				return err
			}
			return cli.RunOnCluster(cmd.Context(), options, std, "destroy", !d.dryRun, func(ctx context.Context, o cli.Options) error {
				d.Options = o
				return d.run(ctx, std)
			})
		},
	}
	cli.AddAnswersFlag(cmd, "the answers file of a cluster whose folder is lost")
	cli.AddDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cli.AddStateFlag(cmd)
	cmd.Flags().BoolVar(&d.dryRun, "dry-run", false, "show what would be deleted; delete nothing")
	cmd.Flags().StringVar(&d.confirmID, "confirm-destroy", "", "cluster ID: delete without a prompt")
	cmd.Flags().BoolVar(&d.deleteBackups, "delete-backups", false, "also delete the bucket with backups")
	cmd.Flags().BoolVar(&d.includeForeignRecords, "include-foreign-records", false,
		"also delete DNS records in the cluster's zone that no installation created")
	cli.AddOutputFlag(cmd, "output format", cli.OutputPlain, cli.OutputJSON)
	cli.AddAccessibleFlag(cmd)
	return cmd
}

func (d destroyFlags) run(ctx context.Context, std cli.Streams) error {
	if d.Output == cli.OutputTUI {
		d.Output = cli.OutputPlain
	}
	cluster, err := teardown.Find(d.Dir, d.Answers != "", func(c teardown.Cluster) (state.Spec, error) { return d.readSpec(c, std) })
	if err != nil {
		return err
	}
	if d.Private != nil {
		cluster.Folder = *d.Private
	}
	if err := d.checkConfirmation(cluster.Spec.Cluster.ID, std); err != nil {
		return err
	}
	if !cluster.HasFolder {
		return d.open(ctx, std, cluster)
	}
	return clusterdir.WithLock(ctx, cluster.Folder, func() error {
		if err := d.restoreModes(cluster.Folder); err != nil {
			return err
		}
		return d.open(ctx, std, cluster)
	})
}

// open opens the zone of the cluster, which is destroyed then.
func (d destroyFlags) open(ctx context.Context, std cli.Streams, cluster teardown.Cluster) (err error) {
	if cluster.Secrets, err = readCredentials(cluster, std); err != nil {
		return err
	}
	around, err := environment.OpenDeps(ctx, std.Host, cluster.Folder, cluster.Facts.Rehearsal, cluster.Spec, cluster.Secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, around.Close()) }()
	cluster.Net, cluster.Access = around.Net, around.Access.SetInteractive(d.isInteractive(std))
	ctx, stop := d.ReceiveStop(ctx)
	defer stop()
	return d.destroy(ctx, std, cluster)
}

func (d destroyFlags) destroy(ctx context.Context, std cli.Streams, cluster teardown.Cluster) error {
	decided := teardown.Options{DryRun: d.dryRun, DeleteBackups: d.deleteBackups, IncludeForeignRecords: d.includeForeignRecords, Program: d.Program, Retry: d.formatRetry(cluster.Spec.Cluster.ID)}
	return cluster.Destroy(ctx, decided, teardownDisplay{destroyFlags: d, spec: cluster.Spec, std: std})
}

func (d destroyFlags) restoreModes(folder state.Folder) error {
	if d.dryRun {
		return nil
	}
	_, err := folder.RestoreModes()
	return err
}

// checkConfirmation checks flags before anything is contacted. A terminal is asked later, when the plan is shown.
func (d destroyFlags) checkConfirmation(cluster string, std cli.Streams) error {
	switch {
	case d.dryRun || d.confirmID == cluster:
		return nil
	case d.confirmID != "":
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was deleted: --confirm-destroy %s does not match the cluster ID %s", d.confirmID, cluster))
	case d.Output.IsJSON() || d.Output != cli.OutputAccessible && !std.IsTerminal():
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was deleted: use --confirm-destroy=%s to delete the cluster, or --dry-run to list its resources", cluster))
	}
	return nil
}

// readSpec ignores secrets: those of an installation may be gone.
func (d destroyFlags) readSpec(c teardown.Cluster, std cli.Streams) (state.Spec, error) {
	given, err := d.selectLayers(c)
	if err != nil {
		return state.Spec{}, err
	}
	all, err := given.Merge()
	if err != nil {
		return state.Spec{}, err
	}
	if faults := all.Problems(); len(faults) > 0 {
		console.PrintProblems(std.Err, faults)
		return state.Spec{}, exit.ErrAnswers
	}
	there := func(string) (string, bool) { return "there", true } // required secrets are checked later
	return all.Answers.Spec, std.CheckComplete(layers.Loaded{Missing: answersfile.FindMissing(all.Answers.Spec, all.Ask, there)})
}

// selectLayers returns the layers of the flags, or else the folder's answers. The environment is ignored.
func (d destroyFlags) selectLayers(c teardown.Cluster) (layers.Layers, error) {
	if d.Answers != "" {
		given, err := d.ReadLayers()
		given.Variables = nil
		return given, err
	}
	if len(d.Set) > 0 {
		return layers.Layers{}, exit.WithCode(exit.Usage, errors.New("nothing was deleted: --set requires --answers; the answers in the cluster's folder apply"))
	}
	content, err := c.Folder.Read(state.AnswersFile)
	if err != nil {
		return layers.Layers{}, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
	}
	return layers.Layers{Answers: new(answersfile.ReadAnswers(c.Folder.Path(state.AnswersFile), content))}, nil
}

// readCredentials requires only the API keys.
func readCredentials(c teardown.Cluster, std cli.Streams) (wizard.Secrets, error) {
	secrets, needed := c.ResolveSecrets()
	if len(needed) > 0 {
		console.PrintProblems(std.Err, needed)
		return secrets, exit.MarkPrinted(exit.WithCode(exit.Answers, errors.New("the Exoscale credentials are missing")))
	}
	return secrets, nil
}

// isInteractive reports whether a person can sign in.
func (d destroyFlags) isInteractive(std cli.Streams) bool {
	return d.Output == cli.OutputAccessible || !d.Output.IsJSON() && std.IsTerminal()
}

func (d destroyFlags) confirm(ctx context.Context, std cli.Streams, cluster string) error {
	if d.confirmID == cluster {
		return nil
	}
	fmt.Fprintf(std.Out, "\nThis cannot be undone. Type the cluster ID to delete all of this: ")
	answer, err := std.ReadLine(ctx)
	if err != nil {
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	if typed := strings.TrimSpace(answer); typed != cluster {
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was deleted: %q does not match the cluster ID %s", typed, cluster))
	}
	return nil
}

func (d destroyFlags) formatRetry(cluster string) string {
	more := []string{"--confirm-destroy", cluster}
	if d.deleteBackups {
		more = append(more, "--delete-backups")
	}
	if d.includeForeignRecords {
		more = append(more, "--include-foreign-records")
	}
	return d.formatCommand(more...)
}

func (d destroyFlags) formatCommand(more ...string) string {
	known := request.Request{Answers: d.Answers, Set: d.Set, Dir: d.Dir, State: d.State, ID: d.ID, Accessible: d.Output == cli.OutputAccessible, WaitForDNS: install.DefaultWaitForDNS, BootstrapAccess: true}
	return known.FormatCommand("destroy", more...)
}

// teardownDisplay shows a teardown on the streams of the process.
type teardownDisplay struct {
	destroyFlags
	spec state.Spec
	std  cli.Streams
}

// ShowPlan only counts the objects if the confirmation prompt follows, which lists them.
func (t teardownDisplay) ShowPlan(inventory destroy.Inventory) {
	if t.Output.IsJSON() {
		return
	}
	shown := t.newView(inventory)
	if !t.dryRun && t.confirmID != t.spec.Cluster.ID {
		shown.ListCommand = t.formatCommand("--dry-run")
	}
	console.PrintDestroyPlan(t.Output.WrapWriter(t.std.Out), shown)
}

func (t teardownDisplay) newView(inventory destroy.Inventory) console.Teardown {
	shown := console.Teardown{Cluster: t.spec.Cluster.ID, Zone: t.spec.Exoscale.Zone, Inventory: inventory}
	if prices, err := assets.ReadPrices(); err == nil { // savings are optional output
		shown.Price = func(o state.Object) (float64, bool) { return prices.PerHour(o.Kind, o.Type, o.GiB) }
		shown.PricesOf = prices.Date
	}
	return shown
}

func (t teardownDisplay) Confirm(ctx context.Context) error {
	return t.confirm(ctx, t.std, t.spec.Cluster.ID)
}

func (t teardownDisplay) Warn(line string) { fmt.Fprintln(t.std.Err, console.SanitizeLine(line)) }

func (t teardownDisplay) Open(events string) (show func(provisioner.Event)) {
	t.std.StartRun(t.Output, t.FormatRecord(events))
	return t.Output.NewPrinter(t.std.Out)
}

func (t teardownDisplay) Close(end teardown.Outcome) error {
	if !t.Output.IsJSON() {
		console.PrintDestroySummary(t.Output.WrapWriter(t.std.Out), t.newView(end.Inventory), end.Failure, t.formatRetry(t.spec.Cluster.ID))
	}
	err := t.ShowRemaining(end.Remaining, end.Failure)
	t.std.EndRun(t.FormatRecord(end.Events), func(string) {})
	return err
}

// ShowRemaining writes the last line for programs.
func (t teardownDisplay) ShowRemaining(inventory destroy.Inventory, failure error) error {
	if !t.Output.IsJSON() {
		return nil
	}
	return console.WriteInventoryJSON(t.std.Out, inventory, failure)
}
