package syn

import (
	"maps"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/store"
)

// records are the stored tenants and clusters.
type records struct {
	clock    network.Clock
	tenants  *store.Table[tenant]
	clusters *store.Table[cluster]
}

// now is the time of Lieutenant and its operator.
func (r *records) now() time.Time { return r.clock.Now() }

func (r *records) hasTenant(id string) bool {
	_, ok := r.tenants.Get(id)
	return ok
}

func (r *records) hasCluster(id string) bool {
	_, ok := r.clusters.Get(id)
	return ok
}

type tenant struct {
	ID, DisplayName          string
	Annotations              map[string]string
	URL, Type, Revision      string // of its configuration
	GlobalURL, GlobalVersion string
	Created, Deleted         time.Time // Deleted: when the deletion was requested
}

type cluster struct {
	ID, Tenant, DisplayName       string
	Annotations, Facts            map[string]string
	Dynamic                       map[string]any
	Compile                       map[string]any
	URL, Type, HostKeys, Deploy   string // of its catalog's repository
	TenantRevision, GlobalVersion string
	Created, Deleted              time.Time // Deleted: when the deletion was requested
	Prepared                      bool      // the operator has reconciled it
	Token                         bootstrapToken
}

// bootstrapToken allows fetching the install manifest of a cluster, once.
type bootstrapToken struct {
	Secret     string
	ValidUntil time.Time
	// Valid is set by the operator and the endpoint; only the endpoint checks ValidUntil, too.
	Valid bool
	Taken bool // it was used by somebody else, which happens once
}

// clone returns a copy whose maps may be changed.
func (c cluster) clone() cluster {
	c.Annotations, c.Facts, c.Dynamic = clone(c.Annotations), clone(c.Facts), clone(c.Dynamic)
	return c
}

func (t tenant) clone() tenant {
	t.Annotations = clone(t.Annotations)
	return t
}

// clone never returns nil.
func clone[V any](m map[string]V) map[string]V {
	c := make(map[string]V, len(m))
	maps.Copy(c, m)
	return c
}
