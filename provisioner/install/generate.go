package install

import (
	"context"
	"fmt"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	bootstrapKey = "bootstrap.ign"
	// linkValid lets the bootstrap machine fetch its document with room for a slow start, and not for the day.
	linkValid = 4 * time.Hour
	// certificatesValid is how long the first certificates of the control plane live (openshift-install, tls assets).
	certificatesValid = 24 * time.Hour
)

func (i *Installation) generate(ctx context.Context, report provisioner.Report) error {
	config, err := installConfig(i.spec, i.options.PullSecret)
	if err != nil {
		return err
	}
	i.ignition, err = i.world.Installer.Generate(ctx, i.folder.Path(state.InstallDir), i.generation(config), func(line string) {
		progress(report, line)
	})
	if err != nil {
		return err
	}
	if err := i.checkGeneration(); err != nil {
		return err
	}
	progress(report, "infrastructure ID "+i.ignition.InfraID)
	return i.remember(func(facts *state.Facts) {
		facts.InfraID, facts.RootCAHash, facts.IgnitionCreated = i.ignition.InfraID, i.ignition.RootCAHash, i.ignition.Created
	})
}

func (i *Installation) generation(config []byte) state.Generation {
	return state.Generation{
		InstallConfig: config, Domain: i.spec.Domain(), AppsDomain: i.spec.AppsDomain(),
		MastersSchedulable: len(i.computeNodes()) == 0,
	}
}

// checkGeneration refuses to mix certificates: machines that booted from one generation never accept another.
func (i *Installation) checkGeneration() error {
	before := i.Facts().RootCAHash
	if before == "" || before == i.ignition.RootCAHash {
		return nil
	}
	return fault.Newf(fault.Conflict, "generate Ignition documents",
		"%s holds other certificates than the ones this cluster's machines were started with", i.folder.Path(state.InstallDir)).
		WithHint("put the original folder back, or delete the cluster's machines and start with a new --dir")
}

// checkAge refuses to start a control plane whose first certificates end before it can renew them.
func (i *Installation) checkAge() error {
	age := time.Since(i.ignition.Created)
	if age < certificatesValid {
		return nil
	}
	return fault.Newf(fault.Invalid, "start the bootstrap machine",
		"the certificates in bootstrap.ign are %s old and live for %s", age.Round(time.Minute), certificatesValid).
		WithHint("delete the cluster's machines and start again with a new --dir")
}

func (i *Installation) uploadBootstrap(ctx context.Context, report provisioner.Report) error {
	if i.bootstrapped() {
		return provisioner.Skip("the cluster no longer needs it")
	}
	bucket := i.spec.Bucket("bootstrap")
	action, err := i.world.Objects.EnsureBucket(ctx, bucket)
	if err != nil {
		return err
	}
	object(report, state.KindBucket, bucket, "", action)
	action, err = i.world.Objects.EnsureObject(ctx, bucket, bootstrapKey, i.ignition.Bootstrap)
	if err != nil {
		return err
	}
	object(report, kindObject, bucket+"/"+bootstrapKey, "", action)
	i.bootstrapURL, err = i.world.Objects.SignedURL(ctx, bucket, bootstrapKey, linkValid)
	return err
}

// console notes when the installation was complete and where its console is.
func (i *Installation) console(ctx context.Context, report provisioner.Report) error {
	console, err := i.world.Cluster.ConsoleURL(ctx)
	if err != nil {
		return err
	}
	if console != "" {
		progress(report, console)
	}
	return i.remember(func(facts *state.Facts) {
		facts.ConsoleURL = console
		if facts.Installed.IsZero() {
			facts.Installed = i.world.Clock.Now().UTC().Truncate(time.Second)
		}
	})
}

func etcdName(index int) string { return fmt.Sprintf("etcd-%d", index) }
