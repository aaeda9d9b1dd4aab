package destroy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/state"
)

// Inventory is what exists of a cluster.
type Inventory struct {
	Objects []Found // to be deleted, in the order of deletion
	Kept    []Kept
	Notes   []string // gaps of the inventory that the operator should know of
	Syn     []string // what happens to the cluster in Project Syn, one sentence each; nil: it is not registered
	Actions []string // actions needed, one sentence each, with the reason
}

// IsEmpty reports whether there is nothing to delete.
func (i Inventory) IsEmpty() bool { return len(i.Objects) == 0 && len(i.Syn) == 0 }

// Kept is an object that is not deleted: it resembles the cluster's, without a proof.
type Kept struct {
	Found
	Why string
}

// Price returns what an object costs per hour, and false if that is unknown.
type Price func(state.Object) (perHour float64, known bool)

// HourlyCost returns what the cluster's objects cost per hour, and how many have no known price.
func (i Inventory) HourlyCost(price Price) (perHour float64, unknown int) {
	for _, o := range i.Objects {
		if cost, known := price(o.Object); known {
			perHour += cost
		} else {
			unknown++
		}
	}
	return perHour, unknown
}

// TakeInventory takes the inventory. It keeps what it found before. It fails if any kind cannot be listed, since objects
// of that kind would be left over.
func (t *Teardown) TakeInventory(ctx context.Context) (Inventory, error) {
	objects, err := t.list(ctx)
	if err != nil {
		return Inventory{}, err
	}
	found := findOwned(objects, t.identity, t.sources)
	if !t.queried && len(found) > 0 {
		t.queried = true
		if err := t.queryCluster(ctx, found); err != nil {
			return Inventory{}, err
		}
		found = findOwned(objects, t.identity, t.sources)
	}
	t.sources.storeProofs(found)
	return t.newInventory(found, objects), nil
}

// list returns all candidates: with the owner marks of buckets that have our prefix, and with the records of the
// cluster's DNS zone.
func (t *Teardown) list(ctx context.Context) ([]state.Object, error) {
	objects, err := t.clients.Cloud.ListObjects(ctx)
	buckets, bucketErr := t.clients.Buckets.ListBuckets(ctx)
	if err := errors.Join(err, bucketErr); err != nil {
		return nil, newIncompleteError(err)
	}
	for n, bucket := range buckets {
		if !t.identity.hasRecipeName(bucket) && !t.sources.isJournaled(bucket) {
			continue
		}
		owner, err := t.clients.Buckets.GetBucketOwner(ctx, bucket.Name)
		if fault.Is(err, fault.NotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		if owner != "" {
			buckets[n].Labels = map[string]string{state.LabelCluster: owner}
		}
	}
	all := append(objects, buckets...)
	for _, zone := range objects {
		if zone.Kind == state.KindZone && t.identity.hasRecipeName(zone) {
			records, err := t.clients.Cloud.ListRecords(ctx, zone)
			if err != nil {
				return nil, err
			}
			all = append(all, records...)
		}
	}
	return all, nil
}

func newIncompleteError(err error) error {
	causes := splitErrors(err)
	if len(causes) == 1 {
		return err
	}
	return fault.Newf(fault.KindOf(causes[0]), "take the inventory", "%w (and %d more lists failed)", causes[0], len(causes)-1)
}

func splitErrors(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error }) // the outermost one only, as made by errors.Join
	if !ok {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, splitErrors(one)...)
	}
	return all
}

func (t *Teardown) newInventory(found []Found, all []state.Object) Inventory {
	inventory := Inventory{Notes: slices.Clone(t.notes), Syn: t.registration().describeRemoval(), Actions: t.registration().listActions()}
	records := listForeignRecords(found, all)
	for _, f := range found {
		if f.Kind == state.KindRecord && (len(records) == 0 || t.options.IncludeForeignRecords) {
			continue // deleted with its zone
		}
		if why := t.findKeepReason(f, found, all); why != "" {
			inventory.Kept = append(inventory.Kept, Kept{Found: f, Why: why})
		} else {
			inventory.Objects = append(inventory.Objects, f)
		}
	}
	inventory.Kept = append(inventory.Kept, t.listUnproven(found, all)...)
	for _, record := range records {
		if t.options.IncludeForeignRecords {
			inventory.Notes = append(inventory.Notes, Describe(record)+" is deleted with its zone, although no installation created it")
		} else {
			inventory.Kept = append(inventory.Kept, Kept{Found: Found{Object: record}, Why: "not proven: not created by an installation"})
		}
	}
	stable.Sort(inventory.Objects, func(a, b Found) int {
		return cmp.Or(cmp.Compare(findRank(a.Kind), findRank(b.Kind)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return inventory
}

func listForeignRecords(found []Found, all []state.Object) []state.Object {
	var records []state.Object
	for _, o := range all {
		if o.Kind == state.KindRecord && !contains(found, o) {
			records = append(records, o)
		}
	}
	return records
}

func contains(found []Found, o state.Object) bool {
	return slices.ContainsFunc(found, func(f Found) bool { return newKey(f.Object) == newKey(o) })
}

// Of the images for nodes, which clusters share, only the journal proves who created one.
func (t *Teardown) listUnproven(found []Found, all []state.Object) []Kept {
	s := newSearch(all, t.identity, t.sources)
	var kept []Kept
	for _, o := range all {
		if o.Kind == state.KindRecord || contains(found, o) {
			continue
		}
		why := s.describeUnproven(o)
		if o.Kind == state.KindTemplate && isNodeImage(o.Name) && len(found) > 0 {
			why = "no journal proves that this cluster created it, and others may use it"
		}
		if why != "" {
			kept = append(kept, Kept{Found: Found{Object: o}, Why: "not proven: " + why})
		}
	}
	return kept
}

func (t *Teardown) findKeepReason(f Found, found []Found, all []state.Object) string {
	switch f.Kind {
	case state.KindBucket:
		if !t.options.DeleteBackups && f.Name == t.identity.backups {
			return "it contains backups; --delete-backups deletes it, too"
		}
	case state.KindAPIKey, state.KindRole:
		if t.isOwnKey(f.Object, all) {
			return "this run uses it; delete it in the Exoscale portal"
		}
	case state.KindTemplate:
		if user := findForeignUser(f.Object, found, all); user != "" {
			return "machines of others boot from it, such as " + user
		}
	case state.KindZone:
		if n := len(listForeignRecords(found, all)); n > 0 && !t.options.IncludeForeignRecords {
			return fmt.Sprintf("it has %d records that no installation created; --include-foreign-records deletes it with them", n)
		}
	}
	return ""
}

func (t *Teardown) isOwnKey(o state.Object, all []state.Object) bool {
	own := t.options.OwnKey
	return own != "" && slices.ContainsFunc(all, func(candidate state.Object) bool {
		return candidate.Kind == state.KindAPIKey && candidate.ID == own && (candidate.ID == o.ID || slices.Contains(candidate.Uses, o.ID))
	})
}

func findForeignUser(f state.Object, found []Found, all []state.Object) string {
	for _, o := range all {
		if slices.Contains(o.Uses, f.ID) && !contains(found, o) {
			return cmp.Or(o.Name, o.ID)
		}
	}
	return ""
}

// The cluster may be broken, which is a reason to destroy it: the timeout is short.
const (
	clusterLimit = 10 * time.Second
	clusterPause = 3 * time.Second
)

// queryCluster lists the cloud objects that the cluster created itself. A cluster that does not answer does not stop the
// teardown.
func (t *Teardown) queryCluster(ctx context.Context, found []Found) error {
	const missed = "load balancers and volumes that it created are not proven and are kept"
	silent := ""
	switch {
	case t.clients.Cluster == nil:
		silent = "the cluster was not queried: there is no kubeconfig"
	case !slices.ContainsFunc(found, func(f Found) bool { return f.Kind == state.KindInstance }):
		silent = "the cluster was not queried: it has no machines"
	default:
		claims, err := t.pollClaims(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			silent = fmt.Sprintf("the cluster does not respond (%v)", err)
		}
		t.sources.addClaims(claims)
	}
	if silent != "" {
		t.notes = append(t.notes, silent+": "+missed)
	}
	return nil
}

func (t *Teardown) pollClaims(ctx context.Context) ([]state.Claim, error) {
	ctx, cancel := context.WithTimeout(ctx, clusterLimit)
	defer cancel()
	var last error
	for {
		claims, err := t.clients.Cluster.ListClaims(ctx)
		if ctx.Err() != nil && last != nil {
			return nil, last
		}
		if last = err; !fault.Is(err, fault.Transient) || t.clients.Clock.Sleep(ctx, clusterPause) != nil {
			return claims, err
		}
	}
}
