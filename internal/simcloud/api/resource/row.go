package api

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// row has the common fields of all stored resources. Those of the whole organization have no zone.
type row struct {
	ID      string
	Zone    string
	Order   int // lists are sorted by creation
	Created time.Time
}

func (r row) head() row { return r }

func (a *API) newRow(zone string) (row, error) {
	order, _ := a.sequence.Get("next")
	if err := a.sequence.Put("next", order+1); err != nil {
		return row{}, err
	}
	return row{ID: uuid.NewString(), Zone: zone, Order: order, Created: a.now()}, nil
}

// newZonedRow refuses a call without a zone.
func (a *API) newZonedRow(c *call) (row, error) {
	if c.zone == "" {
		return row{}, newNotFound("zone", c.request.Host)
	}
	return a.newRow(c.zone)
}

func (a *API) now() time.Time { return a.config.Clock.Now().UTC() }

// generateStableID returns the ID of a resource that exists in every simulated zone.
func generateStableID(name string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)).String()
}

// ref is a reference to another resource.
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

func removeItem(list []string, item string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == item })
}
