package install

import (
	"context"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// storagePolicy is the policy of the key by which the cluster's own services reach its buckets.
const storagePolicy = "object_storage"

// registryBucket is the purpose of the bucket that holds the cluster's images.
const registryBucket = "image-registry"

// registry gives the image registry its bucket, as early as the cluster takes it: what depends on the registry gives up
// where there is none.
func (i *Installation) registry() body {
	return i.until(placeEvery, limitNodes, i.giveRegistryAccess)
}

func (i *Installation) giveRegistryAccess(ctx context.Context, report provisioner.Report) error {
	key, err := i.keptKey(ctx, report, storagePolicy)
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
	object(report, "image-registry", "cluster", "", action)
	return nil
}

func (i *Installation) registryStorage() state.Bucket {
	zone := i.spec.Exoscale.Zone
	return state.Bucket{Name: i.spec.Bucket(registryBucket), Region: zone, Endpoint: "https://" + state.ObjectStorageHost(zone)}
}
