package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
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
	options
	dryRun        bool
	confirmID     string
	deleteBackups bool
	// includeForeignRecords deletes the DNS zone with records that the installation did not create.
	includeForeignRecords bool
}

func newDestroyCommand(std streams) *cobra.Command {
	var d destroyFlags
	cmd := &cobra.Command{
		Use:   "destroy",
		Short: "Delete everything that belongs to a cluster, and prove that nothing is left",
		Long: `Delete everything that belongs to a cluster, and prove that nothing is left.

What belongs to it is proven by its label, by the journal of its folder, by the exact names that an installation gives, and
by the mark on its buckets. What the cluster says that it made itself counts only if the cloud shows it, too. Everything else
is kept, and what looks as if it were the cluster's is listed with the reason. Without the folder the answers file is enough.
What could not be deleted is listed, and the same command goes on.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if d.options, err = bind(cmd, std); err != nil {
				return err
			}
			return d.run(cmd.Context(), std)
		},
	}
	addAnswersFlag(cmd, "the answers file of a cluster whose folder is lost")
	addDirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cmd.Flags().BoolVar(&d.dryRun, "dry-run", false, "show what would be deleted, and delete nothing")
	cmd.Flags().StringVar(&d.confirmID, "confirm-destroy", "", "the cluster's ID: delete without asking for it")
	cmd.Flags().BoolVar(&d.deleteBackups, "delete-backups", false, "delete the bucket that holds backups, too")
	cmd.Flags().BoolVar(&d.includeForeignRecords, "include-foreign-records", false,
		"delete the cluster's DNS zone with the records in it that no installation made, too")
	addOutputFlag(cmd, "how to show it", outputPlain, outputJSON)
	addAccessibleFlag(cmd)
	return cmd
}

func (d destroyFlags) run(ctx context.Context, std streams) (err error) {
	if d.output == outputTUI {
		d.output = outputPlain
	}
	cluster, err := teardown.Find(d.dir, d.answers != "", func(c teardown.Cluster) (state.Spec, error) { return d.readSpec(c, std) })
	if err != nil {
		return err
	}
	if err := d.checkConfirmation(cluster.Spec.Cluster.ID, std); err != nil {
		return err
	}
	if cluster.HasFolder {
		unlock, err := cluster.Folder.Lock(ctx)
		if err != nil {
			return err
		}
		defer unlock()
		if err := d.restoreModes(cluster.Folder); err != nil {
			return err
		}
	}
	if cluster.Secrets, err = readCredentials(cluster, std); err != nil {
		return err
	}
	around, err := environment.OpenDeps(ctx, std.host, cluster.Folder, cluster.Facts.Rehearsal, cluster.Spec, cluster.Secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, around.Close()) }()
	cluster.Net, cluster.Access = around.Net, around.Access.SetInteractive(d.isInteractive(std))
	return d.destroy(ctx, std, cluster)
}

func (d destroyFlags) destroy(ctx context.Context, std streams, cluster teardown.Cluster) error {
	decided := teardown.Options{DryRun: d.dryRun, DeleteBackups: d.deleteBackups, IncludeForeignRecords: d.includeForeignRecords, Retry: d.formatRetry(cluster.Spec.Cluster.ID)}
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
func (d destroyFlags) checkConfirmation(cluster string, std streams) error {
	switch {
	case d.dryRun || d.confirmID == cluster:
		return nil
	case d.confirmID != "":
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was touched: --confirm-destroy %s is not this cluster, which is %s", d.confirmID, cluster))
	case d.output.isJSON() || d.output != outputAccessible && !std.isTerminal():
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was touched: give --confirm-destroy=%s to delete the cluster, or --dry-run to see what that means", cluster))
	}
	return nil
}

// readSpec ignores secrets: those of an installation may be gone.
func (d destroyFlags) readSpec(c teardown.Cluster, std streams) (state.Spec, error) {
	layers, err := d.selectLayers(c)
	if err != nil {
		return state.Spec{}, err
	}
	all, err := layers.merge()
	if err != nil {
		return state.Spec{}, err
	}
	if faults := all.Problems(); len(faults) > 0 {
		console.PrintProblems(std.err, faults)
		return state.Spec{}, exit.ErrAnswers
	}
	there := func(string) (string, bool) { return "there", true } // required secrets are checked later
	return all.Answers.Spec, loaded{needs: answersfile.FindMissing(all.Answers.Spec, all.Ask, there)}.complete(std)
}

// selectLayers returns the layers of the flags, or else the folder's answers. The environment is ignored.
func (d destroyFlags) selectLayers(c teardown.Cluster) (layers, error) {
	if d.answers != "" {
		layers, err := d.readLayers()
		layers.variables = nil
		return layers, err
	}
	if len(d.set) > 0 {
		return layers{}, exit.WithCode(exit.Usage, errors.New("nothing was touched: --set goes with --answers; what is in the cluster's folder holds"))
	}
	content, err := c.Folder.Read(state.AnswersFile)
	if err != nil {
		return layers{}, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
	}
	return layers{answers: new(answersfile.ReadAnswers(c.Folder.Path(state.AnswersFile), content))}, nil
}

// readCredentials requires only the API keys.
func readCredentials(c teardown.Cluster, std streams) (wizard.Secrets, error) {
	secrets, needed := c.ResolveSecrets()
	if len(needed) > 0 {
		console.PrintProblems(std.err, needed)
		return secrets, exit.MarkPrinted(exit.WithCode(exit.Answers, errors.New("there are no keys to the cloud")))
	}
	return secrets, nil
}

// isInteractive reports whether a person can sign in.
func (d destroyFlags) isInteractive(std streams) bool {
	return d.output == outputAccessible || !d.output.isJSON() && std.isTerminal()
}

func (d destroyFlags) confirm(ctx context.Context, std streams, cluster string) error {
	if d.confirmID == cluster {
		return nil
	}
	fmt.Fprintf(std.out, "\nThis cannot be undone. Type the cluster's ID to delete all this: ")
	answer, err := std.readLine(ctx)
	if err != nil {
		return fmt.Errorf("nothing was touched: %w", err)
	}
	if typed := strings.TrimSpace(answer); typed != cluster {
		return exit.WithCode(exit.Usage, fmt.Errorf("nothing was touched: %q is not this cluster, which is %s", typed, cluster))
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
	known := options{answers: d.answers, set: d.set, dir: d.dir, output: d.output, waitForDNS: install.DefaultWaitForDNS, bootstrapAccess: true}
	return resumeCommand("destroy", known, more...)
}

// teardownDisplay shows a teardown on the streams of the process.
type teardownDisplay struct {
	destroyFlags
	spec state.Spec
	std  streams
}

// ShowPlan only counts the objects if the confirmation prompt follows, which lists them.
func (t teardownDisplay) ShowPlan(inventory destroy.Inventory) {
	if t.output.isJSON() {
		return
	}
	shown := t.newView(inventory)
	if !t.dryRun && t.confirmID != t.spec.Cluster.ID {
		shown.ListCommand = t.formatCommand("--dry-run")
	}
	console.PrintDestroyPlan(t.output.wrapWriter(t.std.out), shown)
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

func (t teardownDisplay) Warn(line string) { fmt.Fprintln(t.std.err, console.SanitizeLine(line)) }

func (t teardownDisplay) Open(events string) (show func(provisioner.Event)) {
	t.std.startRun(t.output, events)
	return t.output.newPrinter(t.std.out)
}

func (t teardownDisplay) Close(end teardown.Outcome) error {
	if !t.output.isJSON() {
		console.PrintDestroySummary(t.output.wrapWriter(t.std.out), t.newView(end.Inventory), end.Failure, t.formatRetry(t.spec.Cluster.ID))
	}
	err := t.ShowRemaining(end.Remaining, end.Failure)
	t.std.endRun(end.Events, func(string) {})
	return err
}

// ShowRemaining writes the last line for programs.
func (t teardownDisplay) ShowRemaining(inventory destroy.Inventory, failure error) error {
	if !t.output.isJSON() {
		return nil
	}
	return console.WriteInventoryJSON(t.std.out, inventory, failure)
}
