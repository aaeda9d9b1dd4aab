package destroy

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"exoshift/internal/fault"
	"exoshift/state"
)

// Inventory is what is there of a cluster.
type Inventory struct {
	Objects []Found // to be deleted, in the order of deletion
	Kept    []Kept
	Notes   []string // what the operator should know about how complete it is
	Syn     []string // what becomes of the cluster in Project Syn, one sentence each; nil: it does not know the cluster
	People  []string // what is left for people, one sentence each, with the reason
}

// Empty tells that there is nothing to do.
func (i Inventory) Empty() bool { return len(i.Objects) == 0 && len(i.Syn) == 0 }

// Kept is an object of ours that stays.
type Kept struct {
	Found
	Why string
}

// Price tells what an object costs per hour, and false if nobody knows.
type Price func(state.Object) (perHour float64, known bool)

// Saving returns what the cluster's objects cost per hour, and how many have no known price.
func (i Inventory) Saving(price Price) (perHour float64, unknown int) {
	for _, o := range i.Objects {
		if cost, known := price(o.Object); known {
			perHour += cost
		} else {
			unknown++
		}
	}
	return perHour, unknown
}

// Look takes the inventory. What it found once is remembered. It fails if anything cannot be listed: what is not seen
// would be left behind.
func (t *Teardown) Look(ctx context.Context) (Inventory, error) {
	objects, err := t.world.Cloud.Objects(ctx)
	buckets, bucketErr := t.world.Buckets.Buckets(ctx)
	if err := errors.Join(err, bucketErr); err != nil {
		return Inventory{}, unseen(err)
	}
	objects = append(objects, buckets...)
	found := ours(objects, t.who, t.evidence)
	if !t.asked && len(found) > 0 {
		t.asked = true
		if err := t.askCluster(ctx, found); err != nil {
			return Inventory{}, err
		}
		found = ours(objects, t.who, t.evidence)
	}
	t.evidence.remember(found)
	return t.sorted(found, objects), nil
}

// unseen is the error of an inventory with gaps. Bad credentials fail for every kind; one says it all.
func unseen(err error) error {
	causes := flat(err)
	if len(causes) == 1 {
		return err
	}
	return fault.Newf(fault.KindOf(causes[0]), "take the inventory", "%w (and %d more lists failed)", causes[0], len(causes)-1)
}

// flat returns the errors that were joined.
func flat(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error }) // the outermost one only, as errors.Join made it
	if !ok {
		return []error{err}
	}
	var all []error
	for _, one := range joined.Unwrap() {
		all = append(all, flat(one)...)
	}
	return all
}

// sorted divides what goes from what stays, and puts it in the order of deletion.
func (t *Teardown) sorted(found []Found, all []state.Object) Inventory {
	inventory := Inventory{Notes: slices.Clone(t.notes), Syn: t.forgotten(), People: t.people()}
	if len(found) > 0 {
		inventory.Notes = append(inventory.Notes, unproven(found, all)...)
	}
	for _, f := range found {
		if why := t.reasonToKeep(f, found, all); why != "" {
			inventory.Kept = append(inventory.Kept, Kept{Found: f, Why: why})
		} else {
			inventory.Objects = append(inventory.Objects, f)
		}
	}
	slices.SortStableFunc(inventory.Objects, func(a, b Found) int {
		return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return inventory
}

func (t *Teardown) reasonToKeep(f Found, found []Found, all []state.Object) string {
	switch f.Kind {
	case state.KindBucket:
		if t.keeps && f.Name == t.who.backups {
			return "it holds backups; --delete-backups deletes it too"
		}
	case state.KindAPIKey, state.KindRole:
		if t.holdsOwnKey(f.Object, all) {
			return "this very run works with it; delete it in the Exoscale portal"
		}
	case state.KindTemplate:
		if user := foreignUser(f.Object, found, all); user != "" {
			return "machines that are not of this cluster boot from it, such as " + user
		}
	}
	return ""
}

// holdsOwnKey tells whether an object is the API key of this run, or its role.
func (t *Teardown) holdsOwnKey(o state.Object, all []state.Object) bool {
	return t.own != "" && slices.ContainsFunc(all, func(candidate state.Object) bool {
		return candidate.Kind == state.KindAPIKey && candidate.ID == t.own && (candidate.ID == o.ID || slices.Contains(candidate.Uses, o.ID))
	})
}

// foreignUser returns the name of an object that uses f and is not ours, or "".
func foreignUser(f state.Object, found []Found, all []state.Object) string {
	for _, o := range all {
		isOurs := func(f Found) bool { return keyOf(f.Object) == keyOf(o) }
		if slices.Contains(o.Uses, f.ID) && !slices.ContainsFunc(found, isOurs) {
			return cmp.Or(o.Name, o.ID)
		}
	}
	return ""
}
