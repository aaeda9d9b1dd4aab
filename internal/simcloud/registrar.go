package simcloud

import (
	"slices"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/store"
)

// misspelledServer is a name server that does not exist, and the one that was meant.
const (
	misspelledServer = "ns1.exoscale.org"
	correctServer    = "ns1.exoscale.net"
)

// registrar is the human who keeps the zones above Exoscale's: who delegates a new one after a while, in some
// scenarios badly or not at all, and ends the delegation of one that is gone.
type registrar struct {
	clock    network.Clock
	scenario string
	known    *store.Table[observedZone] // by the zone's name
}

// observedZone is a zone that the human has been told about.
type observedZone struct {
	Zone    string
	Servers []string
	At      time.Time
}

func newRegistrar(db *store.DB, clock network.Clock, scenario string) (*registrar, error) {
	known, err := store.Load[observedZone](db, "zone/delegation")
	return &registrar{clock: clock, scenario: scenario, known: known}, err
}

// recordZones takes in which zones there are. One inside another is the business of whoever keeps that other.
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

// listDelegations returns what the human has done so far.
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

// computeDelay returns how long the human takes; false if nothing ever happens.
func (r *registrar) computeDelay() (delay time.Duration, ever bool) {
	switch r.scenario {
	case noDelegation:
		return 0, false
	case lateDNS:
		return 20 * time.Minute, true
	}
	return 30 * time.Second, true
}
