// Package names is the DNS of the simulated internet: fixed hosts, the zones of the Exoscale API, a registry that holds every
// zone above them, name servers for both, and resolvers with a cache for responses, including negative ones.
package names

import (
	"errors"
	"net/netip"
	"slices"
)

const (
	// maxAliases limits the CNAME records that a resolver follows.
	maxAliases = 8
	// maxDelegations limits the delegations that a resolver follows.
	maxDelegations = 8
	// hostTTL is the TTL of a fixed host, in seconds.
	hostTTL = 300
)

// errLame is returned if no server is authoritative at the end of the delegations.
var errLame = errors.New("lame delegation: the name servers do not serve the zone")

// Delegation is a parent zone's delegation of a zone.
type Delegation struct {
	Zone    string
	Servers []string // names of name servers, in any order
}

// Config contains the functions of a directory. They are called at each cache miss of a resolver, from many goroutines.
type Config struct {
	Hosts map[string]netip.Addr
	// Zones returns the zones of Exoscale's name servers.
	Zones func() []Zone
	// Delegations returns the delegations in the registry.
	Delegations func() []Delegation
	// Texts returns the TXT records of a name in a zone of the registry whose records change often; nil: none.
	Texts func(name string) []string
}

// Directory finds the authoritative zone of each name.
type Directory struct{ config Config }

// New returns a directory.
func New(config Config) *Directory { return &Directory{config: config} }

// ExoscaleServer returns the name servers of the API's zones.
func (d *Directory) ExoscaleServer() Server { return Server{zone: d.findHostedZone} }

// RegistryServer returns the name servers of the parent zones.
func (d *Directory) RegistryServer() Server {
	return Server{zone: func(name, _ string) (Zone, bool) { return d.findRegisteredZone(name) }}
}

// findHostedZone returns the zone in which Exoscale's servers look up a question: the closest. A question for a zone's NS
// records is looked up in the parent zone, if that is hosted as well, so that the parent's NS records decide. The live servers'
// choice is not recorded; this is the strict reading.
func (d *Directory) findHostedZone(name, kind string) (Zone, bool) {
	zones := d.config.Zones()
	best, found := findClosest(zones, name)
	if kind != "NS" || name != best.Name {
		return best, found
	}
	above := slices.DeleteFunc(slices.Clone(zones), func(z Zone) bool { return z.Name == name })
	if parent, inside := findClosest(above, name); inside {
		return parent, true
	}
	return best, found
}

func (d *Directory) findAuthoritativeZone(name string) (Zone, error) {
	zone, found := d.findRegisteredZone(name)
	if !found {
		return Zone{}, errLame
	}
	zones := d.config.Zones()
	for range maxDelegations {
		cut, delegated := zone.findDelegation(name)
		if !delegated {
			return zone, nil
		}
		at := slices.IndexFunc(zones, func(z Zone) bool { return z.Name == cut.Zone })
		// A resolver may succeed with one wrong server among right ones, sometimes; ours always fails.
		if at < 0 || !slices.Equal(cut.Servers, zones[at].Servers()) {
			return Zone{}, errLame
		}
		zone = zones[at]
	}
	return Zone{}, errLame
}

func findClosest(zones []Zone, name string) (best Zone, found bool) {
	for _, zone := range zones {
		if isWithin(name, zone.Name) && len(zone.Name) > len(best.Name) {
			best, found = zone, true
		}
	}
	return best, found
}
