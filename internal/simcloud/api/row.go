package api

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"exoshift/internal/simcloud/store"
)

// row is what all stored things have in common. Things of the whole organization have no zone.
type row struct {
	ID      string
	Zone    string
	Order   int // lists are in the order of creation
	Created time.Time
}

func (r row) head() row { return r }

type rowed interface{ head() row }

// newRow returns the row of a thing that is created now, with a new ID.
func (a *API) newRow(zone string) (row, error) {
	order, _ := a.sequence.Get("next")
	if err := a.sequence.Put("next", order+1); err != nil {
		return row{}, err
	}
	return row{ID: uuid.NewString(), Zone: zone, Order: order, Created: a.now()}, nil
}

func (a *API) now() time.Time { return a.config.Clock.Now().UTC() }

// stableID returns the ID of a thing that every simulated zone has.
func stableID(name string) string { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String() }

// shelf holds the things of one kind.
type shelf[T rowed] struct {
	table *store.Table[T]
	noun  string
}

type loader struct {
	db  *store.DB
	err error
}

func open[T rowed](l *loader, noun string) shelf[T] {
	table, err := store.Load[T](l.db, "api/"+noun)
	if err != nil && l.err == nil {
		l.err = err
	}
	return shelf[T]{table: table, noun: noun}
}

// get returns the thing with that ID if a request to zone may see it.
func (s shelf[T]) get(zone, id string) (T, error) {
	found, ok := s.table.Get(id)
	if !ok || !visible(found, zone) {
		var none T
		return none, notFound(s.noun, id)
	}
	return found, nil
}

func (s shelf[T]) list(zone string) []T {
	return slices.DeleteFunc(s.all(), func(t T) bool { return !visible(t, zone) })
}

// all returns the things of all zones in the order of their creation.
func (s shelf[T]) all() []T {
	all := s.table.List()
	slices.SortStableFunc(all, func(a, b T) int { return a.head().Order - b.head().Order })
	return all
}

func visible(t rowed, zone string) bool { return t.head().Zone == "" || t.head().Zone == zone }

func (s shelf[T]) put(t T) error { return s.table.Put(t.head().ID, t) }

func (s shelf[T]) delete(id string) error { return s.table.Delete(id) }

// find returns the first thing that matches.
func (s shelf[T]) find(match func(T) bool) (T, bool) {
	all := s.all()
	if i := slices.IndexFunc(all, match); i >= 0 {
		return all[i], true
	}
	var none T
	return none, false
}

// ref is how one thing names another.
type ref struct {
	ID string `json:"id"`
}

func refs(ids []string) []ref {
	list := make([]ref, len(ids))
	for i, id := range ids {
		list[i] = ref{id}
	}
	return list
}

func ids(refs []ref) []string {
	list := make([]string, len(refs))
	for i, r := range refs {
		list[i] = r.ID
	}
	return list
}

// without returns a copy of list that lacks item.
func without(list []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}
