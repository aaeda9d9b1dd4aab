package install

import (
	"context"
	"time"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const registryBucket = "image-registry"

// ensureRegistry runs as early as the cluster permits: operators that depend on the registry give up without it.
func (i *Installation) ensureRegistry() provisioner.StepFunc {
	return provisioner.PollUntil(i.clients.Clock, ingressInterval, limitNodes, i.ensureRegistryAccess)
}

func (i *Installation) ensureRegistryAccess(ctx context.Context, report provisioner.Report) error {
	key, err := i.keys.Load(ctx, report, assets.PolicyStorage)
	if err != nil {
		return err
	}
	if key.Secret == "" {
		return fault.Newf(fault.Internal, "give the image registry its bucket", "nobody has kept the secret of the API key %s", key.Name)
	}
	action, err := i.clients.Cluster.EnsureRegistryAccess(ctx, i.newRegistryBucket(), key)
	if err != nil {
		return err
	}
	report.EmitObject("image-registry", "cluster", "", string(action))
	return nil
}

func (i *Installation) newRegistryBucket() state.Bucket {
	zone := i.spec.Exoscale.Zone
	return state.Bucket{Name: i.spec.Bucket(registryBucket), Region: zone, Endpoint: "https://" + state.ObjectStorageHost(zone)}
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
