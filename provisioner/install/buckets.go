package install

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// DescribeBucketConflict returns why a cluster must not use a bucket of that use, or "". It uses the owner's mark; a
// bucket without one is checked by checkBuckets.
func DescribeBucketConflict(spec state.Spec, use state.BucketUse) string {
	switch {
	case use.Taken:
		return "another customer of Exoscale has a bucket of that name"
	case use.Owner != "" && use.Owner != spec.Cluster.ID:
		return "it is marked as the property of cluster " + use.Owner
	}
	return ""
}

// A foreign bucket is refused, since an installation deletes its buckets in the end.
func (i *Installation) checkBuckets(ctx context.Context) error {
	made, err := i.listCreatedBuckets()
	if err != nil {
		return err
	}
	var refused []string
	for _, purpose := range slices.Concat(state.ListPersistentBuckets(), state.ListTemporaryBuckets()) {
		bucket := i.spec.Bucket(purpose)
		use, err := i.clients.Objects.GetBucketUse(ctx, bucket)
		if err != nil {
			return err
		}
		reason := DescribeBucketConflict(i.spec, use)
		if use.Exists && use.Owner == "" && !made[bucket] {
			reason = i.checkUnmarkedBucket(purpose, use)
		}
		if reason != "" {
			refused = append(refused, fmt.Sprintf("%s (%s)", bucket, reason))
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, "look for names that others hold", "these buckets are not this cluster's: %s", strings.Join(refused, ", ")).
		WithHint("choose another objectStorage.bucketPrefix in the answers file").WithField("objectStorage.bucketPrefix")
}

func (i *Installation) listCreatedBuckets() (map[string]bool, error) {
	entries, err := i.folder.ListEntries()
	made := map[string]bool{}
	for _, e := range entries {
		if e.Kind == state.KindBucket && e.Action != state.Failed {
			made[e.Name] = e.Action != state.Deleted
		}
	}
	return made, err
}

// checkUnmarkedBucket returns "" for the cluster's own bucket. Earlier versions set no marks, and left backups in a
// bucket that a new installation of the same cluster may use again.
func (i *Installation) checkUnmarkedBucket(purpose string, use state.BucketUse) string {
	prefix := cmp.Or(i.spec.ObjectStorage.BucketPrefix, i.spec.Cluster.ID)
	own := prefix == i.spec.Cluster.ID
	another := slices.ContainsFunc(i.existing, func(o state.Object) bool { return o.Labels[state.LabelCluster] == prefix })
	switch {
	case !own && another:
		return "it has no mark of its owner, and there is a cluster " + prefix
	case use.Empty, own && slices.Contains(state.ListPersistentBuckets(), purpose):
		return ""
	}
	return "it holds objects, and neither a mark nor the journal of " + i.folder.Path() + " says that it is this cluster's"
}
