package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/generation"
	"exoshift/state"
)

// Conflicts detects foreign objects of our names, and machines of this cluster that another folder started.
type Conflicts struct {
	spec      state.Spec
	folder    state.Folder
	facts     *state.FactsStore
	objects   Objects
	inventory *Inventory
	names     []state.Object // that no other cluster can have
	renew     bool           // certificates are renewed
}

// NewConflicts returns the check of an inventory. names are those that no other cluster can have; renew: certificates are
// renewed.
func NewConflicts(spec state.Spec, folder state.Folder, facts *state.FactsStore, objects Objects, inventory *Inventory, names []state.Object, renew bool) *Conflicts {
	return &Conflicts{spec: spec, folder: folder, facts: facts, objects: objects, inventory: inventory, names: names, renew: renew}
}

// Check refuses foreign objects.
func (c *Conflicts) Check(ctx context.Context, _ provisioner.Report) error {
	if err := c.checkForeignObjects(); err != nil {
		return err
	}
	return c.checkBuckets(ctx)
}

func (c *Conflicts) checkForeignObjects() error {
	var held []string
	for _, o := range c.inventory.existing {
		labelled := o.Kind == state.KindElasticIP || o.Kind == state.KindRole
		named := slices.ContainsFunc(c.names, func(n state.Object) bool { return n.Kind == o.Kind && n.Name == o.Name })
		if labelled && named && o.Labels[state.LabelCluster] != c.spec.Cluster.ID {
			held = append(held, o.Kind+" "+o.Name+" ("+o.ID+")")
		}
	}
	if len(held) > 0 {
		return fault.Newf(fault.Conflict, "check for name conflicts", "not created by exoshift: %s", strings.Join(held, ", ")).
			WithHint("rename or delete them, or choose another cluster.id").WithField("cluster.id")
	}
	return c.checkMixedMachines()
}

func (c *Conflicts) checkMixedMachines() error {
	const op = "compare the certificates of the machines"
	facts := c.facts.Get()
	var mixed []string
	for _, o := range c.inventory.existing {
		if o.Kind == state.KindInstance && o.Labels[state.LabelCluster] == c.spec.Cluster.ID && generation.HasOtherCertificates(o.Labels, facts.RootCAHash) {
			mixed = append(mixed, o.Name)
		}
	}
	switch {
	case len(mixed) == 0:
		return nil
	case facts.RootCAHash == "":
		return fault.Newf(fault.Conflict, op, "cluster %s already has machines, %s, and %s lacks their certificates",
			c.spec.Cluster.ID, strings.Join(mixed, ", "), c.folder.Path()).
			WithHint("use the folder of its installation with --dir; if its facts are lost, rebuild them with `exoshift verify --repair`; or delete the cluster with `exoshift destroy`")
	case c.renew && !c.facts.Get().IsBootstrapped():
		return nil
	}
	return fault.Newf(fault.Conflict, op, "%s has other certificates than these machines: %s",
		c.folder.Path(), strings.Join(mixed, ", ")).WithHint("restore the original folder, or %s", generation.RenewHint)
}

// DescribeBucketConflict returns why a cluster must not use a bucket of that use, or "". It uses the owner's mark; a
// bucket without one is checked by checkBuckets.
func DescribeBucketConflict(spec state.Spec, use state.BucketUse) string {
	switch {
	case use.Taken:
		return "another Exoscale customer has a bucket with this name"
	case use.Owner != "" && use.Owner != spec.Cluster.ID:
		return "it is marked as owned by cluster " + use.Owner
	}
	return ""
}

// A foreign bucket is refused, since an installation deletes its buckets in the end.
func (c *Conflicts) checkBuckets(ctx context.Context) error {
	made, err := c.listCreatedBuckets()
	if err != nil {
		return err
	}
	var refused []string
	for _, purpose := range slices.Concat(state.ListPersistentBuckets(), state.ListTemporaryBuckets()) {
		bucket := c.spec.Bucket(purpose)
		use, err := c.objects.GetBucketUse(ctx, bucket)
		if err != nil {
			return err
		}
		reason := DescribeBucketConflict(c.spec, use)
		if use.Exists && use.Owner == "" && !made[bucket] {
			reason = c.checkUnmarkedBucket(purpose, use)
		}
		if reason != "" {
			refused = append(refused, fmt.Sprintf("%s (%s)", bucket, reason))
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, "check for name conflicts", "these buckets do not belong to this cluster: %s", strings.Join(refused, ", ")).
		WithHint("choose another objectStorage.bucketPrefix in the answers file").WithField("objectStorage.bucketPrefix")
}

func (c *Conflicts) listCreatedBuckets() (map[string]bool, error) {
	entries, err := c.folder.ListEntries()
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
func (c *Conflicts) checkUnmarkedBucket(purpose string, use state.BucketUse) string {
	prefix := cmp.Or(c.spec.ObjectStorage.BucketPrefix, c.spec.Cluster.ID)
	own := prefix == c.spec.Cluster.ID
	another := slices.ContainsFunc(c.inventory.existing, func(o state.Object) bool { return o.Labels[state.LabelCluster] == prefix })
	switch {
	case !own && another:
		return "it has no owner mark, and there is a cluster " + prefix
	case use.Empty, own && slices.Contains(state.ListPersistentBuckets(), purpose):
		return ""
	}
	return "it contains objects, and neither an owner mark nor the journal of " + c.folder.Path() + " proves that it belongs to this cluster"
}
