package run

import (
	"context"
	"errors"
	"fmt"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
)

// OpenPreview is for a preview, from a host; nil is one whose clock is the wall clock. The folder may not exist yet; dir is "" for
// the default one.
func OpenPreview(ctx context.Context, host *environment.Host, dir string, options Options, spec state.Spec, secrets wizard.Secrets) (r Run, leave func() error, err error) {
	if dir == "" {
		if dir, err = clusterdir.DefaultPath(spec.Cluster.ID); err != nil {
			return r, nil, err
		}
	}
	folder, err := state.OpenReadOnly(dir)
	if err != nil {
		return r, nil, err
	}
	facts, err := folder.LoadFacts()
	if err != nil {
		return r, nil, err
	}
	if facts.ClusterID != "" && facts.ClusterID != spec.Cluster.ID {
		return r, nil, exit.WithCode(exit.Usage, fmt.Errorf("%s belongs to cluster %s, the answers are for %s; use another folder with --dir", dir, facts.ClusterID, spec.Cluster.ID))
	}
	around, err := environment.OpenDeps(ctx, host, folder, facts.Rehearsal, spec, secrets)
	return Run{Spec: spec, Secrets: secrets, Folder: folder, Net: around.Net, Access: around.Access, Options: options}, around.Close, err
}

// Preview returns what an installation would change, and changes nothing.
func (r Run) Preview(ctx context.Context) (install.Preview, error) {
	if err := r.nameMachines(); err != nil {
		return install.Preview{}, err
	}
	return r.PreviewNamed(ctx)
}

// PreviewNamed is Preview with machines that have the indices of the Spec, whatever the facts say.
func (r Run) PreviewNamed(ctx context.Context) (install.Preview, error) {
	world, disconnect, err := r.OpenClients(state.NoJournal{}, func(string) {})
	if err != nil {
		return install.Preview{}, err
	}
	defer disconnect()
	installation, err := install.New(r.Spec, r.NewRecipe(), r.Folder, world.ReadOnly())
	if err != nil {
		return install.Preview{}, err
	}
	preview, err := installation.Preview(ctx)
	if err != nil {
		err = &provisioner.StepError{Step: provisioner.Step{ID: "plan", Phase: install.Preflight}, Err: err}
	}
	return preview, err
}

// Recover looks up facts in the cloud.
func (r Run) Recover(ctx context.Context, known state.Facts) (install.Recovered, error) {
	r.Spec = r.Spec.WithFacts(known)
	world, disconnect, err := r.OpenClients(state.NoJournal{}, func(string) {})
	if err != nil {
		return install.Recovered{}, err
	}
	defer disconnect()
	return install.Recover(ctx, r.Spec, r.NewRecipe(), r.Folder, world.ReadOnly(), known)
}

// HashPlan returns the hash of the plan. approved is the one that it has to be, "" for any; otherwise it fails.
func HashPlan(ctx context.Context, host *environment.Host, dir string, options Options, spec state.Spec, secrets wizard.Secrets, approved string) (hash string, err error) {
	s, leave, err := OpenPreview(ctx, host, dir, options, spec, secrets)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, leave()) }()
	answers, err := changes.Compare(s.Folder, spec)
	if err != nil {
		return "", err
	}
	preview, err := s.Preview(ctx)
	if err == nil && approved != "" {
		err = changes.CheckHash(approved, answers, preview)
	}
	return changes.Hash(answers, preview), err
}
