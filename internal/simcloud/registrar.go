package simcloud

import (
	"slices"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/store"
)

// misspelledServer does not exist; correctServer is one of Exoscale's.
const (
	misspelledServer = "ns1.exoscale.org"
	correctServer    = "ns1.exoscale.net"
)

// registrar simulates the people who maintain the zones above Exoscale's: they delegate a new zone after a while, in some
// scenarios wrongly or not at all, and end the delegation of a deleted one.
type registrar struct {
	clock    network.Clock
	scenario string
	known    *store.Table[observedZone] // by the zone's name
}

type observedZone struct {
	Zone    string
	Servers []string
	At      time.Time
}

func newRegistrar(db *store.DB, clock network.Clock, scenario string) (*registrar, error) {
	known, err := store.Load[observedZone](db, "zone/delegation")
	return &registrar{clock: clock, scenario: scenario, known: known}, err
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
	delay, ever := r.computeDelay()
	if !ever {
		return nil
	}
	var done []names.Delegation
	for _, zone := range r.known.List() {
		if r.clock.Now().Before(zone.At.Add(delay)) {
			continue
		}
		servers := slices.Clone(zone.Servers)
		if i := slices.Index(servers, correctServer); i >= 0 && r.scenario == wrongDelegation {
			servers[i] = misspelledServer
		}
		done = append(done, names.Delegation{Zone: zone.Zone, Servers: servers})
	}
	return done
}

// computeDelay returns false if the zone is never delegated.
func (r *registrar) computeDelay() (delay time.Duration, ever bool) {
	switch r.scenario {
	case noDelegation:
		return 0, false
	case lateDNS:
		return 20 * time.Minute, true
	}
	return 30 * time.Second, true
}
