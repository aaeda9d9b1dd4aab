package install

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

// applyInitial gives the cluster the part of its catalog that other parts need to come up: cert-manager.
func (i *Installation) applyInitial() body {
	apply := i.applying(func(context.Context, provisioner.Report) ([]byte, error) { return i.initialManifests() })
	return func(ctx context.Context, report provisioner.Report) error {
		content, err := i.initialManifests()
		switch {
		case err != nil:
			return err
		case len(content) == 0:
			return provisioner.Skip("the catalog has no cert-manager")
		case !i.Facts().Syn.Applied.IsZero():
			return provisioner.Skip("Project Syn sees to it already")
		}
		return apply(ctx, report)
	}
}

func (i *Installation) initialManifests() ([]byte, error) {
	var all []byte
	for _, name := range manifests.InitialManifests() {
		err := filepath.WalkDir(filepath.Join(i.catalogDir(), name), func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(path)
			all = append(append(all, "\n---\n"...), content...)
			return err
		})
		if err != nil {
			return nil, fault.New(fault.Invalid, "read the catalog", err)
		}
	}
	return all, nil
}

// applying applies manifests once the API takes them.
func (i *Installation) applying(content func(context.Context, provisioner.Report) ([]byte, error)) body {
	return func(ctx context.Context, report provisioner.Report) error {
		wanted, err := content(ctx, report)
		if err != nil {
			return err
		}
		return i.waitTransient(ctx, report, func(ctx context.Context) error {
			applied, err := i.world.Syn.Cluster.Apply(ctx, wanted)
			for _, one := range applied {
				object(report, one.Kind, filepath.Join(one.Namespace, one.Name), "", one.Action)
			}
			return err
		})
	}
}

// waitTransient repeats what fails for the moment, and ends with any other failure.
func (i *Installation) waitTransient(ctx context.Context, report provisioner.Report, do func(context.Context) error) error {
	var final error
	err := i.until(placeEvery, limitNodes, func(ctx context.Context, _ provisioner.Report) error {
		err := do(ctx)
		if err != nil && !fault.Is(err, fault.Transient) {
			final = err
			return nil
		}
		return err
	})(ctx, report)
	return errors.Join(final, err)
}

// steward installs Project Syn's agent. What it is installed from can be had once: it is kept, sealed, before anything
// else, until the cluster has it.
func (i *Installation) steward(ctx context.Context, report provisioner.Report) error {
	if !i.Facts().Syn.Applied.IsZero() {
		return errors.Join(i.folder.Remove(state.StewardFile), provisioner.Skip("Steward was installed by an earlier run"))
	}
	if err := i.applying(i.installManifest)(ctx, report); err != nil {
		return err
	}
	if err := i.rememberSyn(func(facts *state.SynFacts) { facts.Applied = i.now() }); err != nil {
		return err
	}
	return i.folder.Remove(state.StewardFile)
}

// installManifest returns what Steward is installed from: what was kept, or what Lieutenant gives only once.
func (i *Installation) installManifest(ctx context.Context, report provisioner.Report) ([]byte, error) {
	kept, err := i.folder.ReadSealed(state.StewardFile, i.options.Seal)
	switch {
	case err == nil:
		return kept, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.Conflict, "read what Steward is installed from", err).
			WithHint("it is sealed with the API secret that was in use when it was fetched: run with that one, or have the bootstrap token reset and delete the file")
	}
	lieutenant, err := i.lieutenant(ctx, report)
	if err != nil {
		return nil, err
	}
	cluster, err := lieutenant.Cluster(ctx, i.spec.Cluster.ID)
	if err != nil {
		return nil, err
	}
	if cluster.InstallURL == "" {
		return nil, i.tokenGone()
	}
	if err := i.trySealing(); err != nil {
		return nil, err
	}
	manifest, err := lieutenant.InstallManifest(ctx, cluster.InstallURL)
	if err != nil {
		return nil, err
	}
	if err := i.folder.WriteSealed(state.StewardFile, i.options.Seal, manifest); err != nil {
		return nil, err
	}
	return manifest, i.rememberSyn(func(facts *state.SynFacts) { facts.ManifestUsed = i.now() })
}

// trySealing finds out whether the manifest could be kept, before it is had for the only time.
func (i *Installation) trySealing() error {
	const trial = state.StewardFile + ".trial"
	if err := i.folder.WriteSealed(trial, i.options.Seal, nil); err != nil {
		return fault.New(fault.Invalid, "keep what Steward is installed from", err).
			WithHint("see to it that %s can be written to, then run again: nothing was fetched yet", i.folder.Path())
	}
	return i.folder.Remove(trial)
}

func (i *Installation) tokenGone() error {
	reason := "the bootstrap token was used by somebody else, or its time is over"
	if !i.Facts().Syn.ManifestUsed.IsZero() {
		reason = "it was fetched by an earlier run, and what that run kept is gone"
	}
	return fault.Newf(fault.Conflict, "fetch what Steward is installed from", "%s", reason).
		WithHint("ask those who run Lieutenant to reset the bootstrap token of %s, then run again: the cluster itself stands", i.spec.Cluster.ID)
}
