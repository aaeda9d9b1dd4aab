package install

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"exoshift/ignition"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/access"
	"exoshift/state"
)

const (
	bootstrapKey = "bootstrap.ign"
	// linkValid leaves time for a slow start of the bootstrap machine, but is shorter than a day.
	linkValid = 4 * time.Hour
)

func (i *Installation) uploadBootstrap(ctx context.Context, report provisioner.Report) error {
	if i.Facts().IsBootstrapped() {
		return provisioner.Skip("the cluster no longer needs it")
	}
	i.bootstrapDocument = i.generator.Ignition().Bootstrap
	if i.bootstrapDocument == nil {
		return fault.Newf(fault.Conflict, "upload bootstrap.ign", "it was removed after the bootstrap, and the facts know of none").
			WithHint("have the facts rebuilt: exoshift verify --dir %s --repair", i.folder.Path())
	}
	if err := i.ensureIdentity(); err != nil {
		return err
	}
	if err := ignition.Check(i.bootstrapDocument); err != nil {
		return err
	}
	bucket := i.spec.Bucket("bootstrap")
	if err := i.buckets.EnsureOne(ctx, report, "bootstrap"); err != nil {
		return err
	}
	action, err := i.clients.Objects.EnsureObject(ctx, bucket, bootstrapKey, i.bootstrapDocument)
	if err != nil {
		return err
	}
	report.EmitObject(access.KindStoredObject, bucket+"/"+bootstrapKey, "", string(action))
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
	document, err := ignition.WithIdentity(i.bootstrapDocument, identity)
	if err != nil {
		return fault.New(fault.Invalid, "use the keys in "+i.folder.Path(name), err).
			WithHint("delete this file if the bootstrap machine was not started yet, then run again")
	}
	i.bootstrapDocument = document
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
