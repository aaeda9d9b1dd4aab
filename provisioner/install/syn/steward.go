package syn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/provisioner"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

// steward starts Steward, the agent of Project Syn, in the cluster.
type steward struct {
	spec    state.Spec
	folder  state.Folder
	facts   *state.FactsStore
	clock   provisioner.Clock
	seal    string // passphrase that encrypts the manifest in the folder
	session *session
	catalog *Catalog
	gitOps  GitOps
}

// Other parts of the catalog need cert-manager to start.
func (s *steward) applyInitial() provisioner.StepFunc {
	apply := s.applyWhenReady(func(context.Context, provisioner.Report) ([]byte, error) { return s.loadInitialManifests() })
	return func(ctx context.Context, report provisioner.Report) error {
		content, err := s.loadInitialManifests()
		switch {
		case err != nil:
			return err
		case len(content) == 0:
			return provisioner.Skip("the catalog has no cert-manager")
		case !s.facts.Get().Syn.Applied.IsZero():
			return provisioner.Skip("Project Syn already does this")
		}
		return apply(ctx, report)
	}
}

func (s *steward) loadInitialManifests() ([]byte, error) {
	var all []byte
	for _, name := range manifests.ListInitialManifests() {
		err := filepath.WalkDir(filepath.Join(s.catalog.CatalogDir(), name), func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			content, err := fileread.Bytes(path, fileread.Small)
			all = append(append(all, "\n---\n"...), content...)
			return err
		})
		if err != nil {
			return nil, fault.New(fault.Invalid, "read the catalog", err)
		}
	}
	return all, nil
}

// applyWhenReady retries until the API accepts the manifests.
func (s *steward) applyWhenReady(content func(context.Context, provisioner.Report) ([]byte, error)) provisioner.StepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		wanted, err := content(ctx, report)
		if err != nil {
			return err
		}
		return waitTransient(ctx, s.clock, report, func(ctx context.Context) error {
			applied, err := s.gitOps.Apply(ctx, wanted)
			for _, one := range applied {
				report.EmitObject(one.Kind, filepath.Join(one.Namespace, one.Name), "", string(one.Action))
			}
			return err
		})
	}
}

// The install manifest can be fetched once: it is stored, encrypted, before anything else, until it is applied.
func (s *steward) install(ctx context.Context, report provisioner.Report) error {
	if !s.facts.Get().Syn.Applied.IsZero() {
		return errors.Join(s.folder.Remove(state.StewardFile), provisioner.Skip("an earlier run installed Steward"))
	}
	if err := s.applyWhenReady(s.installManifest)(ctx, report); err != nil {
		return err
	}
	if err := s.facts.UpdateSyn(func(facts *state.SynFacts) { facts.Applied = now(s.clock) }); err != nil {
		return err
	}
	return s.folder.Remove(state.StewardFile)
}

// The stored manifest takes precedence, since Lieutenant returns it only once.
func (s *steward) installManifest(ctx context.Context, report provisioner.Report) ([]byte, error) {
	kept, err := s.folder.ReadSealed(state.StewardFile, s.seal)
	switch {
	case err == nil:
		return kept, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Conflict, "read what Steward is installed from", err).
			WithHint("it is encrypted with the API secret that was in use then: use that one, or have the bootstrap token reset and delete the file")
	}
	lieutenant, err := s.session.signInLieutenant(ctx, report)
	if err != nil {
		return nil, err
	}
	cluster, err := lieutenant.GetCluster(ctx, s.spec.Cluster.ID)
	if err != nil {
		return nil, err
	}
	if cluster.InstallURL == "" {
		return nil, s.newTokenUsedError()
	}
	if err := s.trySealing(); err != nil {
		return nil, err
	}
	manifest, err := lieutenant.FetchInstallManifest(ctx, cluster.InstallURL)
	if err != nil {
		return nil, s.describeFetchError(ctx, cluster.InstallURL, err)
	}
	if err := s.folder.WriteSealed(state.StewardFile, s.seal, manifest); err != nil {
		return nil, err
	}
	return manifest, s.facts.UpdateSyn(func(facts *state.SynFacts) { facts.ManifestUsed = now(s.clock) })
}

// trySealing checks that the manifest can be stored, before it is fetched for the only time.
func (s *steward) trySealing() error {
	const trial = state.StewardFile + ".trial"
	if err := s.folder.WriteSealed(trial, s.seal, nil); err != nil {
		return fault.New(fault.Invalid, "keep what Steward is installed from", err).
			WithHint("check that %s is writable, then run again: nothing was fetched yet", s.folder.Path())
	}
	return s.folder.Remove(trial)
}

// A lost or malformed answer may have used the token.
func (s *steward) describeFetchError(ctx context.Context, installURL string, failure error) error {
	if fault.Is(failure, fault.Conflict) { // the error explains it already
		return failure
	}
	switch seen, err := s.session.clients.Lieutenant.GetCluster(ctx, s.spec.Cluster.ID); {
	case err != nil:
		return failure
	case seen.InstallURL == installURL:
		return fmt.Errorf("the bootstrap token was not used: %w", failure)
	}
	return s.newResetError(fmt.Errorf("the bootstrap token was used by this attempt: %w", failure))
}

func (s *steward) newTokenUsedError() error {
	if !s.facts.Get().Syn.ManifestUsed.IsZero() {
		return s.newResetError(errors.New("an earlier run fetched it, and its copy is missing"))
	}
	return s.newResetError(errors.New("the bootstrap token was used by someone else or has expired"))
}

// Only another token helps after this error.
func (s *steward) newResetError(reason error) error {
	return fault.New(fault.Conflict, "fetch what Steward is installed from", reason).
		WithHint("ask the operator of Lieutenant to reset the bootstrap token of %s, then run again: the cluster itself is running", s.spec.Cluster.ID)
}
