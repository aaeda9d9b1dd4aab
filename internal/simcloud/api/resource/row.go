package resource

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Row has the common fields of all stored resources.
type Row struct {
	ID      string
	Zone    string // "" if it belongs to the whole organization
	Order   int    // lists are sorted by creation
	Created time.Time
}

func newRow(zone string, order int, at time.Time) Row {
	return Row{ID: uuid.NewString(), Zone: zone, Order: order, Created: at}
}

func (r Row) head() Row { return r }

// StableID returns the ID of a resource that exists in every simulated zone.
func StableID(name string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String()
}

// Ref is a reference to another resource in the wire format.
type Ref struct {
	ID string `json:"id"`
}

// OptionalRef returns nil for an empty ID.
func OptionalRef(id string) *Ref {
	if id == "" {
		return nil
	}
	return &Ref{ID: id}
}

// ToRefs never returns nil.
func ToRefs(ids []string) []Ref {
	list := make([]Ref, len(ids))
	for i, id := range ids {
		list[i] = Ref{ID: id}
	}
	return list
}

// ToIDs never returns nil.
func ToIDs(refs []Ref) []string {
	list := make([]string, len(refs))
	for i, r := range refs {
		list[i] = r.ID
	}
	return list
}

// Without returns a copy of a list without an item.
func Without(list []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}
