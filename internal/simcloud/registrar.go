package simcloud

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

// misspelledServer does not exist; correctServer is one of Exoscale's.
const (
	misspelledServer = "ns1.exoscale.org"
	correctServer    = "ns1.exoscale.net"
)

// delegationDelay is how long people usually take.
const delegationDelay = 30 * time.Second

// registrar simulates the people who maintain the zones above Exoscale's: they delegate a new zone after a while, in some
// faults wrongly or not at all, and end the delegation of a deleted one.
type registrar struct {
	clock network.Clock
	fault scenario.Delegation
	known *store.Table[observedZone] // by the zone's name
}

type observedZone struct {
	Zone    string
	Servers []string
	At      time.Time
}

func newRegistrar(db *store.DB, clock network.Clock, fault scenario.Delegation) (*registrar, error) {
	known, err := store.Load[observedZone](db, "zone/delegation")
	return &registrar{clock: clock, fault: fault, known: known}, err
}

// recordZones ignores zones inside another one: their delegation is that other zone's records.
func (r *registrar) recordZones(zones []names.Zone) error {
	for _, known := range r.known.List() {
		if !slices.ContainsFunc(zones, func(z names.Zone) bool { return z.Name == known.Zone }) {
			if err := r.known.Delete(known.Zone); err != nil {
				return err
			}
		}
	}
	for _, zone := range zones {
		inside := func(z names.Zone) bool { return strings.HasSuffix(zone.Name, "."+z.Name) }
		if _, old := r.known.Get(zone.Name); old || slices.ContainsFunc(zones, inside) {
			continue
		}
		if err := r.known.Put(zone.Name, observedZone{Zone: zone.Name, Servers: zone.Servers(), At: r.clock.Now()}); err != nil {
			return err
		}
	}
	return nil
}

// listDelegations returns the delegations of this moment.
func (r *registrar) listDelegations() []names.Delegation {
	if r.fault.Never {
		return nil
	}
	delay := cmp.Or(r.fault.Delay, delegationDelay)
	var done []names.Delegation
	for _, zone := range r.known.List() {
		if r.clock.Now().Before(zone.At.Add(delay)) {
			continue
		}
		servers := slices.Clone(zone.Servers)
		if i := slices.Index(servers, correctServer); i >= 0 && r.fault.Misspelled {
			servers[i] = misspelledServer
		}
		done = append(done, names.Delegation{Zone: zone.Zone, Servers: servers})
	}
	return done
}
