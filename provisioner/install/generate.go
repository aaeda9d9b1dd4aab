package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"exoshift/assets"
	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

const (
	bootstrapKey = "bootstrap.ign"
	// linkValid leaves time for a slow start of the bootstrap machine, but is shorter than a day.
	linkValid = 4 * time.Hour
)

func (i *Installation) generate(ctx context.Context, report provisioner.Report) error {
	if err := i.discardCertificates(ctx, report); err != nil {
		return err
	}
	credentials, err := i.loadKey(ctx, report, assets.PolicyCloudController)
	if err != nil {
		return err
	}
	wanted, err := i.buildGeneration(credentials, i.syn.NewResolver(ctx, report))
	if err != nil {
		return err
	}
	i.ignition, err = i.clients.Installer.Generate(ctx, i.folder.Path(state.InstallDir), wanted, report.EmitProgress)
	if err != nil {
		return err
	}
	if err := i.checkGeneration(); err != nil {
		return err
	}
	report.EmitProgress("infrastructure ID " + i.ignition.InfraID)
	i.emitCertificates(report)
	if err := i.replaceMachines(ctx, report); err != nil {
		return err
	}
	return i.facts.Update(func(facts *state.Facts) {
		facts.InfraID, facts.RootCAHash = i.ignition.InfraID, i.ignition.RootCAHash
		facts.IgnitionCreated, facts.IgnitionExpires = i.ignition.Created, i.ignition.Expires
		if i.syn.IsConnected() {
			syn.RecordGenerated(&facts.Syn, i.ignition)
		}
	})
}

func (i *Installation) checkManifests(context.Context, provisioner.Report) error {
	_, err := i.buildTrialGeneration()
	return err
}

// The input of openshift-install without secrets, and without a catalog that is compiled later.
func (i *Installation) buildTrialGeneration() (state.Generation, error) {
	nothing := func(state.VaultSecret) (string, error) { return "none yet", nil }
	if i.syn.IsConnected() && i.findCatalogDir() == "" {
		config, err := installConfig(i.spec, i.listSSHKeys(), i.options.PullSecret)
		return i.newGeneration(config, nil), err
	}
	return i.buildGeneration(manifests.NewPlaceholderKey(), nothing)
}

func (i *Installation) tryConfig(ctx context.Context, _ provisioner.Report) error {
	if !i.Facts().IgnitionCreated.IsZero() && !i.options.Renew {
		return provisioner.Skip("the documents are generated already")
	}
	wanted, err := i.buildTrialGeneration()
	if err != nil {
		return err
	}
	return i.clients.Installer.Try(ctx, i.folder.Path(state.InstallDir), wanted)
}

func (i *Installation) buildGeneration(credentials state.APIKey, resolve manifests.Resolve) (state.Generation, error) {
	config, err := installConfig(i.spec, i.listSSHKeys(), i.options.PullSecret)
	if err != nil {
		return state.Generation{}, err
	}
	spec := i.spec
	spec.Syn.CatalogDir = i.findCatalogDir()
	more, err := manifests.Collect(spec, credentials, resolve)
	if err == nil && i.Facts().IgnitionCreated.IsZero() { // later the catalog is that of a running cluster
		err = manifests.CheckStart(spec, more)
	}
	return i.newGeneration(config, more), err
}

func (i *Installation) findCatalogDir() string {
	if !i.syn.IsConnected() {
		return i.spec.Syn.CatalogDir
	}
	return i.syn.CatalogDir()
}

func (i *Installation) newGeneration(config []byte, more []state.Manifest) state.Generation {
	return state.Generation{
		InstallConfig: config, Domain: i.spec.Domain(), AppsDomain: i.spec.AppsDomain(),
		MastersSchedulable: len(i.spec.ComputeNodes()) == 0, Manifests: more,
	}
}

// checkGeneration refuses to mix certificates: machines that booted from one generation never accept another.
func (i *Installation) checkGeneration() error {
	before := i.Facts().RootCAHash
	if before == "" || before == i.ignition.RootCAHash || i.options.Renew {
		return nil
	}
	return fault.Newf(fault.Conflict, "generate Ignition documents",
		"%s holds other certificates than the ones this cluster's machines were started with", i.folder.Path(state.InstallDir)).
		WithHint("put the original folder back, or %s", renewHint)
}

func (i *Installation) uploadBootstrap(ctx context.Context, report provisioner.Report) error {
	if i.Facts().IsBootstrapped() {
		return provisioner.Skip("the cluster no longer needs it")
	}
	if i.ignition.Bootstrap == nil {
		return fault.Newf(fault.Conflict, "upload bootstrap.ign", "it was removed after the bootstrap, and the facts know of none").
			WithHint("have the facts rebuilt: exoshift verify --dir %s --repair", i.folder.Path())
	}
	if err := i.ensureIdentity(); err != nil {
		return err
	}
	if err := ignition.Check(i.ignition.Bootstrap); err != nil {
		return err
	}
	bucket := i.spec.Bucket("bootstrap")
	action, err := i.clients.Objects.EnsureBucket(ctx, bucket)
	if err != nil {
		return err
	}
	report.EmitObject(state.KindBucket, bucket, "", string(action))
	action, err = i.clients.Objects.EnsureObject(ctx, bucket, bootstrapKey, i.ignition.Bootstrap)
	if err != nil {
		return err
	}
	report.EmitObject(kindObject, bucket+"/"+bootstrapKey, "", string(action))
	if err := i.checkPrivate(ctx, bucket); err != nil {
		return err
	}
	i.bootstrapURL, err = i.clients.Objects.SignGetURL(ctx, bucket, bootstrapKey, linkValid)
	return err
}

// The bootstrap machine's keys are created once per generation, so that a resumed run renders the same document.
func (i *Installation) ensureIdentity() error {
	const name = state.InstallDir + "/" + state.IdentityFile
	identity, err := i.folder.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		if identity, err = ignition.NewIdentity(time.Now()); err == nil {
			err = i.folder.Write(name, identity)
		}
	}
	if err != nil {
		return err
	}
	document, err := ignition.WithIdentity(i.ignition.Bootstrap, identity)
	if err != nil {
		return fault.New(fault.Invalid, "use the keys in "+i.folder.Path(name), err).
			WithHint("delete this file if the bootstrap machine was not started yet, then run again")
	}
	i.ignition.Bootstrap = document
	return nil
}

// checkPrivate requests bootstrap.ign, which holds the cluster's keys, without credentials. If that succeeds, the object
// is deleted at once.
func (i *Installation) checkPrivate(ctx context.Context, bucket string) error {
	err := i.clients.Objects.CheckPrivate(ctx, bucket, bootstrapKey)
	if !fault.Is(err, fault.Conflict) {
		return err
	}
	if _, failed := i.clients.Objects.DeleteBucket(context.WithoutCancel(ctx), bucket); failed != nil {
		return fault.Newf(fault.Conflict, "take bootstrap.ign back", "%w; anybody can read it: %w", failed, err).
			WithHint("delete bucket %s now: it holds the cluster's keys", bucket)
	}
	return err
}

func (i *Installation) recordConsole(ctx context.Context, report provisioner.Report) error {
	console, err := i.clients.Cluster.GetConsoleURL(ctx)
	if err != nil {
		return err
	}
	if console != "" {
		report.EmitProgress(console)
	}
	return i.facts.Update(func(facts *state.Facts) {
		facts.ConsoleURL = console
		if facts.Installed.IsZero() {
			facts.Installed = i.clients.Clock.Now().UTC().Truncate(time.Second)
		}
	})
}

func formatEtcdName(index int) string { return fmt.Sprintf("etcd-%d", index) }
