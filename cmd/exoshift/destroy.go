package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

// demolition is what the flags of destroy say beyond the common ones. They are not read from the environment: nothing
// that was exported for another cluster may destroy this one.
type demolition struct {
	options
	dryRun        bool
	confirm       string
	deleteBackups bool
	// includeForeignRecords deletes the DNS zone with the records that no installation made.
	includeForeignRecords bool
}

func destroyCommand(std streams) *cobra.Command {
	var d demolition
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
	answersFlag(cmd, "the answers file of a cluster whose folder is lost")
	dirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cmd.Flags().BoolVar(&d.dryRun, "dry-run", false, "show what would be deleted, and delete nothing")
	cmd.Flags().StringVar(&d.confirm, "confirm-destroy", "", "the cluster's ID: delete without asking for it")
	cmd.Flags().BoolVar(&d.deleteBackups, "delete-backups", false, "delete the bucket that holds backups, too")
	cmd.Flags().BoolVar(&d.includeForeignRecords, "include-foreign-records", false,
		"delete the cluster's DNS zone with the records in it that no installation made, too")
	cmd.Flags().String("output", string(outputPlain), "how to show it: plain or json")
	accessibleFlag(cmd)
	return cmd
}

func (d demolition) run(ctx context.Context, std streams) (err error) {
	if d.output == outputTUI {
		d.output = outputPlain
	}
	site, err := d.find(std)
	if err != nil {
		return err
	}
	if err := d.permitted(site.spec.Cluster.ID, std); err != nil {
		return err
	}
	if site.kept {
		unlock, err := site.folder.Lock(ctx)
		if err != nil {
			return err
		}
		defer unlock()
		if err := d.restoreModes(site.folder); err != nil {
			return err
		}
	}
	if site.secrets, err = keysOf(site, std); err != nil {
		return err
	}
	around, err := surroundingsOf(ctx, site.folder, site.facts.Rehearsal, site.spec, site.secrets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, around.leave()) }()
	site.net, site.access = around.net, around.access.attendedBy(d.attended(std))
	return d.clear(ctx, std, site)
}

// restoreModes makes the folder private again, unless nothing may be changed.
func (d demolition) restoreModes(folder state.Folder) error {
	if d.dryRun {
		return nil
	}
	_, err := folder.RestoreModes()
	return err
}

// permitted checks the confirmation before anything is contacted. A terminal is asked later, with the plan before its
// eyes.
func (d demolition) permitted(cluster string, std streams) error {
	switch {
	case d.dryRun || d.confirm == cluster:
		return nil
	case d.confirm != "":
		return usageError{fmt.Errorf("nothing was touched: --confirm-destroy %s is not this cluster, which is %s", d.confirm, cluster)}
	case d.output.json() || d.output != outputAccessible && !std.terminal():
		return usageError{fmt.Errorf("nothing was touched: give --confirm-destroy=%s to delete the cluster, or --dry-run to see what that means", cluster)}
	}
	return nil
}

// find returns the cluster that the flags mean. The folder knows more than the answers, so it is used wherever there is
// one.
func (d demolition) find(std streams) (site, error) {
	var s site
	var err error
	if d.dir != "" || d.answers == "" {
		if s.folder, err = existingFolder(d.dir); err != nil {
			return s, usageError{err}
		}
		s.kept = true
	}
	if s.spec, err = d.specOf(s, std); err != nil {
		return s, err
	}
	if !s.kept {
		return usualSite(s)
	}
	if s.facts, err = s.folder.Facts(); err != nil {
		return s, err
	}
	if id := s.facts.ClusterID; id != "" && id != s.spec.Cluster.ID {
		return s, usageError{fmt.Errorf("%s belongs to cluster %s, the answers are for %s; name the folder of that one with --dir",
			s.folder.Path(), id, s.spec.Cluster.ID)}
	}
	return s, nil
}

// usualSite adds the folder in the default place, if it is the cluster's. That of a rehearsal is only meant by name.
func usualSite(s site) (site, error) {
	path, err := state.DefaultPath(s.spec.Cluster.ID)
	if err != nil {
		return s, nil // no home, no folder; the answers are enough
	}
	folder, err := state.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	facts, err := folder.Facts()
	if err != nil {
		return s, err
	}
	if facts.ClusterID == s.spec.Cluster.ID && !facts.Rehearsal {
		s.folder, s.facts, s.kept = folder, facts, true
	}
	return s, nil
}

// specOf reads answers for what they say about the cluster; the secrets of an installation may be gone.
func (d demolition) specOf(s site, std streams) (state.Spec, error) {
	layers, err := d.answersOf(s)
	if err != nil {
		return state.Spec{}, err
	}
	all, err := layers.assemble()
	if err != nil {
		return state.Spec{}, err
	}
	if faults := all.Faults(); len(faults) > 0 {
		console.Faults(std.err, faults)
		return state.Spec{}, answersError{errors.New("the answers have faults")}
	}
	there := func(string) (string, bool) { return "there", true } // which of the secrets are needed, is asked later
	return all.Answers.Spec, loaded{needs: wizard.Needs(all.Answers.Spec, all.Ask, there)}.complete(std)
}

// answersOf returns the answers that the flags mean, or else those of the folder. The environment answers nothing here.
func (d demolition) answersOf(s site) (layers, error) {
	if d.answers != "" {
		layers, err := d.layers()
		layers.variables = nil
		return layers, err
	}
	if len(d.set) > 0 {
		return layers{}, usageError{errors.New("nothing was touched: --set goes with --answers; what is in the cluster's folder holds")}
	}
	content, err := s.folder.Read(state.AnswersFile)
	if err != nil {
		return layers{}, usageError{fmt.Errorf("read the answers: %w", err)}
	}
	return layers{answers: new(wizard.ReadAnswers(s.folder.Path(state.AnswersFile), content))}, nil
}

// keysOf returns the keys to the cloud. The pull secret is not needed to destroy.
func keysOf(s site, std streams) (wizard.Secrets, error) {
	lookup := environment
	if s.facts.Rehearsal {
		lookup = rehearsalSecrets
	}
	secrets, faults := wizard.ResolveSecrets(withoutKept(s), lookup)
	var needed []wizard.Fault
	for _, f := range faults {
		if strings.HasPrefix(f.Field, "exoscale.") {
			needed = append(needed, f)
		}
	}
	if len(needed) > 0 {
		console.Faults(std.err, needed)
		return secrets, answersError{errors.New("there are no keys to the cloud")}
	}
	return secrets, nil
}

// withoutKept returns the answers with the environment in the place of keys that the folder held until its cluster was
// destroyed.
func withoutKept(s site) state.Spec {
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

// attended tells whether somebody is there to sign in.
func (d demolition) attended(std streams) bool {
	return d.output == outputAccessible || !d.output.json() && std.terminal()
}
