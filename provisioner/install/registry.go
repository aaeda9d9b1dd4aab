package install

import (
	"context"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// registryBucket is the purpose of the bucket that holds the cluster's images.
const registryBucket = "image-registry"

// registry gives the image registry its bucket, as early as the cluster takes it: what depends on the registry gives up
// where there is none.
func (i *Installation) registry() provisioner.Body {
	return provisioner.Until(i.world.Clock, placeEvery, limitNodes, i.giveRegistryAccess)
}

func (i *Installation) giveRegistryAccess(ctx context.Context, report provisioner.Report) error {
	key, err := i.keptKey(ctx, report, assets.PolicyStorage)
	if err != nil {
		return err
	}
	if key.Secret == "" {
		return fault.Newf(fault.Internal, "give the image registry its bucket", "nobody has kept the secret of the API key %s", key.Name)
	}
	action, err := i.world.Cluster.EnsureRegistryAccess(ctx, i.registryStorage(), key)
	if err != nil {
		return err
	}
	report.Object("image-registry", "cluster", "", string(action))
	return nil
}

func (i *Installation) registryStorage() state.Bucket {
	zone := i.spec.Exoscale.Zone
	return state.Bucket{Name: i.spec.Bucket(registryBucket), Region: zone, Endpoint: "https://" + state.ObjectStorageHost(zone)}
}
