package resource

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/internal/simcloud/api/rest"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/stable"
)

// Table holds the resources of one kind in the order of their creation.
type Table[T Record] struct {
	store   *Store
	rows    *store.Table[T]
	noun    string
	sorted  []T
	changes int // since it was opened
}

// Record is a stored resource: a struct that embeds Row.
type Record interface{ head() Row }

// Open opens the table of a kind of resources, e.g. "elastic-ip", which is also the kind's name in paths. Its error is that of Store.Err.
func Open[T Record](s *Store, noun string) *Table[T] {
	rows, err := store.Load[T](s.db, "api/"+noun)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return &Table[T]{store: s, noun: noun}
	}
	sorted := rows.List()
	stable.Sort(sorted, func(a, b T) int { return compareOrder(a, b.head()) })
	return &Table[T]{store: s, rows: rows, noun: noun, sorted: sorted}
}

func compareOrder[T Record](t T, other Row) int {
	head := t.head()
	return cmp.Or(head.Order-other.Order, strings.Compare(head.ID, other.ID))
}

// Get returns a resource that is visible in a zone, or a not-found error.
func (t *Table[T]) Get(zone, id string) (T, error) {
	found, ok := t.rows.Get(id)
	if !ok || !isVisible(found, zone) {
		var none T
		return none, rest.NotFound(t.noun, id)
	}
	return found, nil
}

// Lookup returns a resource of any zone.
func (t *Table[T]) Lookup(id string) (T, bool) { return t.rows.Get(id) }

// List returns the resources that are visible in a zone.
func (t *Table[T]) List(zone string) []T {
	some := make([]T, 0, len(t.sorted))
	for _, one := range t.sorted {
		if isVisible(one, zone) {
			some = append(some, one)
		}
	}
	return some
}

// Filter returns the resources of all zones that match.
func (t *Table[T]) Filter(match func(T) bool) []T {
	var some []T
	for _, one := range t.sorted {
		if match(one) {
			some = append(some, one)
		}
	}
	return some
}

// Find returns the first resource of any zone that matches.
func (t *Table[T]) Find(match func(T) bool) (T, bool) {
	if i := slices.IndexFunc(t.sorted, match); i >= 0 {
		return t.sorted[i], true
	}
	var none T
	return none, false
}

// All returns the resources of all zones in the order of their creation. Callers must not modify the slice; it still has
// items that are deleted meanwhile.
func (t *Table[T]) All() []T { return t.sorted }

// Len returns the number of resources in all zones.
func (t *Table[T]) Len() int { return len(t.sorted) }

// Changes returns the number of changes since the table was opened.
func (t *Table[T]) Changes() int { return t.changes }

func isVisible(r Record, zone string) bool { return r.head().Zone == "" || r.head().Zone == zone }

// Put stores a resource.
func (t *Table[T]) Put(r T) error {
	if err := t.rows.Put(r.head().ID, r); err != nil {
		return err
	}
	t.changes++
	at, known := slices.BinarySearchFunc(t.sorted, r.head(), compareOrder[T])
	switch {
	case known:
		t.sorted[at] = r
	case at == len(t.sorted):
		t.sorted = append(t.sorted, r)
	default:
		t.sorted = slices.Concat(t.sorted[:at], []T{r}, t.sorted[at:])
	}
	return nil
}

// Delete ignores a missing resource.
func (t *Table[T]) Delete(id string) error {
	found, ok := t.rows.Get(id)
	if !ok {
		return nil
	}
	if err := t.rows.Delete(id); err != nil {
		return err
	}
	t.changes++
	at, _ := slices.BinarySearchFunc(t.sorted, found.head(), compareOrder[T])
	if at == 0 {
		t.sorted = t.sorted[1:]
		return nil
	}
	t.sorted = slices.Concat(t.sorted[:at], t.sorted[at+1:]) // iterations over the old slice may continue
	return nil
}

// Save stores a resource and returns an operation that refers to it.
func (t *Table[T]) Save(r T) (any, error) {
	if err := t.Put(r); err != nil {
		return nil, err
	}
	return t.store.StartOperation(r.head(), t.noun)
}

// Remove deletes a resource and returns an operation that refers to it.
func (t *Table[T]) Remove(r T) (any, error) {
	if err := t.Delete(r.head().ID); err != nil {
		return nil, err
	}
	return t.store.StartOperation(r.head(), t.noun)
}
