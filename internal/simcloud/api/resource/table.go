package api

import (
	"cmp"
	"slices"
	"strings"

	"exoshift/internal/simcloud/store"
)

// resourceTable holds the resources of one kind in the order of their creation.
type resourceTable[T rowHolder] struct {
	table   *store.Table[T]
	noun    string
	sorted  []T
	changes int // since it was opened
}

type rowHolder interface{ head() row }

type loader struct {
	db  *store.DB
	err error
}

func open[T rowHolder](l *loader, noun string) resourceTable[T] {
	table, err := store.Load[T](l.db, "api/"+noun)
	if err != nil {
		if l.err == nil {
			l.err = err
		}
		return resourceTable[T]{}
	}
	sorted := table.List()
	slices.SortFunc(sorted, func(a, b T) int { return compareOrder(a, b.head()) })
	return resourceTable[T]{table: table, noun: noun, sorted: sorted}
}

func compareOrder[T rowHolder](t T, other row) int {
	head := t.head()
	return cmp.Or(head.Order-other.Order, strings.Compare(head.ID, other.ID))
}

// get returns a resource that is visible in zone.
func (s *resourceTable[T]) get(zone, id string) (T, error) {
	found, ok := s.table.Get(id)
	if !ok || !isVisible(found, zone) {
		var none T
		return none, newNotFound(s.noun, id)
	}
	return found, nil
}

// list returns the resources that are visible in zone.
func (s *resourceTable[T]) list(zone string) []T {
	some := make([]T, 0, len(s.sorted))
	for _, t := range s.sorted {
		if isVisible(t, zone) {
			some = append(some, t)
		}
	}
	return some
}

func (s *resourceTable[T]) filter(match func(T) bool) []T {
	var some []T
	for _, t := range s.sorted {
		if match(t) {
			some = append(some, t)
		}
	}
	return some
}

// listAll returns the resources of all zones in the order of their creation. Callers must not modify the slice; it still has
// items that are deleted meanwhile.
func (s *resourceTable[T]) listAll() []T { return s.sorted }

func (s *resourceTable[T]) count() int { return len(s.sorted) }

func isVisible(t rowHolder, zone string) bool { return t.head().Zone == "" || t.head().Zone == zone }

func (s *resourceTable[T]) put(t T) error {
	if err := s.table.Put(t.head().ID, t); err != nil {
		return err
	}
	s.changes++
	at, known := slices.BinarySearchFunc(s.sorted, t.head(), compareOrder[T])
	switch {
	case known:
		s.sorted[at] = t
	case at == len(s.sorted):
		s.sorted = append(s.sorted, t)
	default:
		s.sorted = slices.Concat(s.sorted[:at], []T{t}, s.sorted[at:])
	}
	return nil
}

// delete ignores a missing resource.
func (s *resourceTable[T]) delete(id string) error {
	found, ok := s.table.Get(id)
	if !ok {
		return nil
	}
	if err := s.table.Delete(id); err != nil {
		return err
	}
	s.changes++
	at, _ := slices.BinarySearchFunc(s.sorted, found.head(), compareOrder[T])
	if at == 0 {
		s.sorted = s.sorted[1:]
		return nil
	}
	s.sorted = slices.Concat(s.sorted[:at], s.sorted[at+1:]) // iterations over the old slice may continue
	return nil
}

func (s *resourceTable[T]) find(match func(T) bool) (T, bool) {
	if i := slices.IndexFunc(s.sorted, match); i >= 0 {
		return s.sorted[i], true
	}
	var none T
	return none, false
}
