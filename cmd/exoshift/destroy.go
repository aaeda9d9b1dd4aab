package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
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
	site, err := d.find(std)
	if err != nil {
		return err
	}
	if err := d.checkConfirmation(site.spec.Cluster.ID, std); err != nil {
		return err
	}
	if site.hasFolder {
		unlock, err := site.folder.Lock(ctx)
		if err != nil {
			return err
		}
		defer unlock()
		if err := d.restoreModes(site.folder); err != nil {
			return err
		}
	}
	if site.secrets, err = readCredentials(site, std); err != nil {
		return err
	}
	around, err := environment.OpenDeps(ctx, site.folder, site.facts.Rehearsal, site.spec, site.secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, around.Close()) }()
	site.net, site.access = around.Net, around.Access.SetInteractive(d.isInteractive(std))
	return d.clear(ctx, std, site)
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

// find returns the cluster of the flags. The folder has more information than the answers, so it is preferred.
func (d destroyFlags) find(std streams) (teardownContext, error) {
	var s teardownContext
	var err error
	if d.dir != "" || d.answers == "" {
		if s.folder, err = findFolder(d.dir); err != nil {
			return s, exit.WithCode(exit.Usage, err)
		}
		s.hasFolder = true
	}
	if s.spec, err = d.readSpec(s, std); err != nil {
		return s, err
	}
	if !s.hasFolder {
		return withDefaultFolder(s)
	}
	if s.facts, err = s.folder.LoadFacts(); err != nil {
		return s, err
	}
	if id := s.facts.ClusterID; id != "" && id != s.spec.Cluster.ID {
		return s, exit.WithCode(exit.Usage, fmt.Errorf("%s belongs to cluster %s, the answers are for %s; name the folder of that one with --dir",
			s.folder.Path(), id, s.spec.Cluster.ID))

	}
	return s, nil
}

// withDefaultFolder adds the folder in the default location, if it is the cluster's. A rehearsal has to be named explicitly.
func withDefaultFolder(s teardownContext) (teardownContext, error) {
	path, err := state.DefaultPath(s.spec.Cluster.ID)
	if err != nil {
		return s, nil // without a home directory there is no folder; the answers are sufficient
	}
	folder, err := state.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return s, err
	}
	if facts.ClusterID == s.spec.Cluster.ID && !facts.Rehearsal {
		s.folder, s.facts, s.hasFolder = folder, facts, true
	}
	return s, nil
}

// readSpec ignores secrets: those of an installation may be gone.
func (d destroyFlags) readSpec(s teardownContext, std streams) (state.Spec, error) {
	layers, err := d.selectLayers(s)
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
	return all.Answers.Spec, loaded{needs: wizard.FindMissing(all.Answers.Spec, all.Ask, there)}.complete(std)
}

// selectLayers returns the layers of the flags, or else the folder's answers. The environment is ignored.
func (d destroyFlags) selectLayers(s teardownContext) (layers, error) {
	if d.answers != "" {
		layers, err := d.readLayers()
		layers.variables = nil
		return layers, err
	}
	if len(d.set) > 0 {
		return layers{}, exit.WithCode(exit.Usage, errors.New("nothing was touched: --set goes with --answers; what is in the cluster's folder holds"))
	}
	content, err := s.folder.Read(state.AnswersFile)
	if err != nil {
		return layers{}, exit.WithCode(exit.Usage, fmt.Errorf("read the answers: %w", err))
	}
	return layers{answers: new(wizard.ReadAnswers(s.folder.Path(state.AnswersFile), content))}, nil
}

// readCredentials requires only the API keys, not the pull secret.
func readCredentials(s teardownContext, std streams) (wizard.Secrets, error) {
	lookup := environment.LookupEnv
	if s.facts.Rehearsal {
		lookup = environment.LookupRehearsalSecret
	}
	secrets, faults := wizard.ResolveSecrets(withoutStoredKeys(s), lookup)
	var needed []wizard.Problem
	for _, f := range faults {
		if strings.HasPrefix(f.Field, "exoscale.") {
			needed = append(needed, f)
		}
	}
	if len(needed) > 0 {
		console.PrintProblems(std.err, needed)
		return secrets, exit.MarkPrinted(exit.WithCode(exit.Answers, errors.New("there are no keys to the cloud")))
	}
	return secrets, nil
}

// withoutStoredKeys replaces references to the folder's keys, which are removed when its cluster is destroyed, by the
// environment.
func withoutStoredKeys(s teardownContext) state.Spec {
	spec := s.spec
	if s.facts.Destroyed.IsZero() {
		return spec
	}
	for variable, ref := range map[string]*state.SecretRef{"EXOSCALE_API_KEY": &spec.Exoscale.APIKey, "EXOSCALE_API_SECRET": &spec.Exoscale.APISecret} {
		if strings.HasPrefix(ref.File, s.folder.Path(state.SecretsDir)) {
			*ref = state.SecretRef{Env: variable}
		}
	}
	return spec
}

// isInteractive reports whether a person can sign in.
func (d destroyFlags) isInteractive(std streams) bool {
	return d.output == outputAccessible || !d.output.isJSON() && std.isTerminal()
}
