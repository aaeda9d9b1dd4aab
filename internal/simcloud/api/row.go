package api

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// row is what all stored things have in common. Things of the whole organization have no zone.
type row struct {
	ID      string
	Zone    string
	Order   int // lists are in the order of creation
	Created time.Time
}

func (r row) head() row { return r }

// newRow returns the row of a thing that is created now, with a new ID.
func (a *API) newRow(zone string) (row, error) {
	order, _ := a.sequence.Get("next")
	if err := a.sequence.Put("next", order+1); err != nil {
		return row{}, err
	}
	return row{ID: uuid.NewString(), Zone: zone, Order: order, Created: a.now()}, nil
}

// newZonedRow returns the row of a thing that can only exist in a zone.
func (a *API) newZonedRow(c *call) (row, error) {
	if c.zone == "" {
		return row{}, newNotFound("zone", c.request.Host)
	}
	return a.newRow(c.zone)
}

func (a *API) now() time.Time { return a.config.Clock.Now().UTC() }

// generateStableID returns the ID of a thing that every simulated zone has.
func generateStableID(name string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String()
}

// ref is how one thing names another.
type ref struct {
	ID string `json:"id"`
}

func toRefs(ids []string) []ref {
	list := make([]ref, len(ids))
	for i, id := range ids {
		list[i] = ref{id}
	}
	return list
}

func toIDs(refs []ref) []string {
	list := make([]string, len(refs))
	for i, r := range refs {
		list[i] = r.ID
	}
	return list
}

// removeItem returns a copy of list that lacks item.
func removeItem(list []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}
