package preflight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Inventory is everything that the organization had when the run began.
type Inventory struct {
	spec    state.Spec
	cloud   Cloud
	objects Objects

	existing   []state.Object
	hasVolumes bool
	lacking    []string
}

// NewInventory returns the inventory of a cluster's organization.
func NewInventory(spec state.Spec, cloud Cloud, objects Objects) *Inventory {
	return &Inventory{spec: spec, cloud: cloud, objects: objects}
}

// Objects returns the objects, once List has returned.
func (i *Inventory) Objects() []state.Object { return i.existing }

// Lacking returns what the zone does not have and an installation does without, a sentence each, once List has returned.
func (i *Inventory) Lacking() []string { return i.lacking }

// List lists each kind. Objects that may not be listed could not be found again; the permission to create cannot be tested
// without creating.
func (i *Inventory) List(ctx context.Context, report provisioner.Report) error {
	objects, err := i.cloud.ListObjects(ctx)
	buckets, bucketsErr := i.objects.ListBuckets(ctx)
	if err = errors.Join(err, bucketsErr); err != nil {
		return joinDenied(err)
	}
	i.existing = append(objects, buckets...)
	if i.hasVolumes, err = i.cloud.HasBlockStorage(ctx); err != nil {
		return err
	}
	if i.lacking = nil; !i.hasVolumes {
		i.lacking = []string{i.describeNoVolumes()}
	}
	for _, text := range i.lacking {
		report.EmitProgress(text)
	}
	report.EmitProgress(fmt.Sprintf("objects: %d, of this cluster: %d", len(i.existing), i.countOwnObjects()))
	return nil
}

// HasBlockStorage reports whether the zone has block storage, once List has returned.
func (i *Inventory) HasBlockStorage() bool { return i.hasVolumes }

func (i *Inventory) describeNoVolumes() string {
	lacks := "zone " + i.spec.Exoscale.Zone + " has no block storage: "
	if i.spec.HasOwnStorageDriver() {
		return lacks + "Exoscale's CSI driver is not installed, and the cluster has no default storage class; " +
			"install another storage driver for applications that need volumes, or choose another zone"
	}
	return lacks + "Exoscale's CSI driver cannot create persistent volumes there; add storage nodes for applications that need volumes, or choose another zone"
}

func joinDenied(err error) error {
	kinds, err := SplitUnlisted(err)
	if err != nil {
		return err
	}
	return fault.Newf(fault.Denied, "list all existing objects", "the API key has no permission to list %s", strings.Join(kinds, ", ")).
		WithHint("use a key whose IAM role allows the services compute, dns, iam and sos; nothing was created").WithField(apiKeyField)
}

// SplitUnlisted returns the kinds of objects whose listing was denied. If err joins anything else, it is returned.
func SplitUnlisted(err error) (kinds []string, other error) {
	if err == nil {
		return nil, nil
	}
	for _, one := range splitErrors(err) {
		var refusal *fault.Error
		if !errors.As(one, &refusal) || refusal.Kind != fault.Denied {
			return nil, err
		}
		kinds = append(kinds, strings.TrimSuffix(strings.TrimPrefix(refusal.Op, "list "), "s"))
	}
	return kinds, nil
}

func splitErrors(err error) []error {
	joined, several := err.(interface{ Unwrap() []error }) // the outermost one only, as made by errors.Join
	if !several {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, splitErrors(one)...)
	}
	return all
}

func (i *Inventory) countOwnObjects() int {
	n := 0
	for _, o := range i.existing {
		if o.Labels[state.LabelCluster] == i.spec.Cluster.ID || strings.HasPrefix(o.Name, i.spec.ObjectName("")) {
			n++
		}
	}
	return n
}

func (i *Inventory) hasObject(kind, name string) bool {
	for _, o := range i.existing {
		if o.Kind == kind && o.Name == name && (kind != state.KindInstance || o.Labels[state.LabelCluster] == i.spec.Cluster.ID) {
			return true
		}
	}
	return false
}

func (i *Inventory) findID(kind, name string) string {
	for _, o := range i.existing {
		if o.Kind == kind && o.Name == name {
			return o.ID
		}
	}
	return ""
}

func (i *Inventory) findName(kind, id string) string {
	for _, o := range i.existing {
		if o.Kind == kind && o.ID == id {
			return o.Name
		}
	}
	return ""
}

// ListSurplus returns the objects of the cluster for which isWanted returns false.
func (i *Inventory) ListSurplus(isWanted func(state.Object) bool) []state.Object {
	return slices.DeleteFunc(slices.Clone(i.existing), func(o state.Object) bool {
		return o.Labels[state.LabelCluster] != i.spec.Cluster.ID || isWanted(o)
	})
}
