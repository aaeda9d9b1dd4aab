package syn

import (
	"maps"
	"time"
)

// tenant is what is kept of a tenant.
type tenant struct {
	ID, DisplayName          string
	Annotations              map[string]string
	URL, Type, Revision      string // of its configuration
	GlobalURL, GlobalVersion string
	Created, Deleted         time.Time // Deleted: somebody asked for it
}

// cluster is what is kept of a cluster.
type cluster struct {
	ID, Tenant, DisplayName       string
	Annotations, Facts            map[string]string
	Dynamic                       map[string]any
	Compile                       map[string]any
	URL, Type, HostKeys, Deploy   string // of its catalog's repository
	TenantRevision, GlobalVersion string
	Created, Deleted              time.Time // Deleted: somebody asked for it
	Prepared                      bool      // the operator has seen it
	Token                         bootstrapToken
}

// bootstrapToken is what the install manifest of a cluster can be had with, once.
type bootstrapToken struct {
	Secret     string
	ValidUntil time.Time
	// Valid is what the operator and the endpoint note down; only the endpoint looks at ValidUntil before it believes it.
	Valid bool
	Taken bool // somebody else used it, which happens once
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
