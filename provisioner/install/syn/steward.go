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

// Other parts of the catalog need cert-manager to start.
func (c *Connection) applyInitial() provisioner.StepFunc {
	apply := c.applyWhenReady(func(context.Context, provisioner.Report) ([]byte, error) { return c.loadInitialManifests() })
	return func(ctx context.Context, report provisioner.Report) error {
		content, err := c.loadInitialManifests()
		switch {
		case err != nil:
			return err
		case len(content) == 0:
			return provisioner.Skip("the catalog has no cert-manager")
		case !c.Facts.Get().Syn.Applied.IsZero():
			return provisioner.Skip("Project Syn sees to it already")
		}
		return apply(ctx, report)
	}
}

func (c *Connection) loadInitialManifests() ([]byte, error) {
	var all []byte
	for _, name := range manifests.ListInitialManifests() {
		err := filepath.WalkDir(filepath.Join(c.CatalogDir(), name), func(path string, entry fs.DirEntry, err error) error {
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
func (c *Connection) applyWhenReady(content func(context.Context, provisioner.Report) ([]byte, error)) provisioner.StepFunc {
	return func(ctx context.Context, report provisioner.Report) error {
		wanted, err := content(ctx, report)
		if err != nil {
			return err
		}
		return c.waitTransient(ctx, report, func(ctx context.Context) error {
			applied, err := c.clients.Cluster.Apply(ctx, wanted)
			for _, one := range applied {
				report.EmitObject(one.Kind, filepath.Join(one.Namespace, one.Name), "", string(one.Action))
			}
			return err
		})
	}
}

// The install manifest can be fetched once: it is stored, encrypted, before anything else, until it is applied.
func (c *Connection) installSteward(ctx context.Context, report provisioner.Report) error {
	if !c.Facts.Get().Syn.Applied.IsZero() {
		return errors.Join(c.Folder.Remove(state.StewardFile), provisioner.Skip("Steward was installed by an earlier run"))
	}
	if err := c.applyWhenReady(c.installManifest)(ctx, report); err != nil {
		return err
	}
	if err := c.updateFacts(func(facts *state.SynFacts) { facts.Applied = c.now() }); err != nil {
		return err
	}
	return c.Folder.Remove(state.StewardFile)
}

// The stored manifest takes precedence, since Lieutenant returns it only once.
func (c *Connection) installManifest(ctx context.Context, report provisioner.Report) ([]byte, error) {
	kept, err := c.Folder.ReadSealed(state.StewardFile, c.Seal)
	switch {
	case err == nil:
		return kept, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Conflict, "read what Steward is installed from", err).
			WithHint("it is sealed with the API secret that was in use when it was fetched: run with that one, or have the bootstrap token reset and delete the file")
	}
	lieutenant, err := c.signInLieutenant(ctx, report)
	if err != nil {
		return nil, err
	}
	cluster, err := lieutenant.GetCluster(ctx, c.Spec.Cluster.ID)
	if err != nil {
		return nil, err
	}
	if cluster.InstallURL == "" {
		return nil, c.newTokenUsedError()
	}
	if err := c.trySealing(); err != nil {
		return nil, err
	}
	manifest, err := lieutenant.FetchInstallManifest(ctx, cluster.InstallURL)
	if err != nil {
		return nil, c.describeFetchError(ctx, cluster.InstallURL, err)
	}
	if err := c.Folder.WriteSealed(state.StewardFile, c.Seal, manifest); err != nil {
		return nil, err
	}
	return manifest, c.updateFacts(func(facts *state.SynFacts) { facts.ManifestUsed = c.now() })
}

// trySealing checks that the manifest can be stored, before it is fetched for the only time.
func (c *Connection) trySealing() error {
	const trial = state.StewardFile + ".trial"
	if err := c.Folder.WriteSealed(trial, c.Seal, nil); err != nil {
		return fault.New(fault.Invalid, "keep what Steward is installed from", err).
			WithHint("see to it that %s can be written to, then run again: nothing was fetched yet", c.Folder.Path())
	}
	return c.Folder.Remove(trial)
}

// A lost or malformed answer may have used the token.
func (c *Connection) describeFetchError(ctx context.Context, installURL string, failure error) error {
	if fault.Is(failure, fault.Conflict) { // the error explains it already
		return failure
	}
	switch seen, err := c.clients.Lieutenant.GetCluster(ctx, c.Spec.Cluster.ID); {
	case err != nil:
		return failure
	case seen.InstallURL == installURL:
		return fmt.Errorf("the bootstrap token was not used: %w", failure)
	}
	return c.newResetError(fmt.Errorf("the bootstrap token was used by this attempt: %w", failure))
}

func (c *Connection) newTokenUsedError() error {
	if !c.Facts.Get().Syn.ManifestUsed.IsZero() {
		return c.newResetError(errors.New("it was fetched by an earlier run, and what that run kept is gone"))
	}
	return c.newResetError(errors.New("the bootstrap token was used by somebody else, or its time is over"))
}

// Only another token helps after this error.
func (c *Connection) newResetError(reason error) error {
	return fault.New(fault.Conflict, "fetch what Steward is installed from", reason).
		WithHint("ask those who run Lieutenant to reset the bootstrap token of %s, then run again: the cluster itself stands", c.Spec.Cluster.ID)
}
