// Package names is the DNS of the simulated internet: fixed hosts, the zones that the Exoscale API serves, a registry
// that holds every zone above them, name servers for both, and resolvers that remember answers, and missing names too.
package names

import (
	"errors"
	"net/netip"
	"slices"
)

const (
	// maxAliases is how many CNAME records a resolver follows.
	maxAliases = 8
	// maxDelegations is how many delegations a resolver follows.
	maxDelegations = 8
	// hostTTL is how long, in seconds, a fixed host is remembered.
	hostTTL = 300
)

// errLame is the end of a way on which no server feels responsible.
var errLame = errors.New("a delegation leads to servers that do not serve the zone")

// Delegation is what a zone above others says about one of them.
type Delegation struct {
	Zone    string
	Servers []string // names of name servers, in any order
}

// Config is what a directory asks the world for. The functions are called at each question that no resolver can
// answer from memory, from many goroutines.
type Config struct {
	Hosts map[string]netip.Addr
	// Zones returns the zones that Exoscale's name servers hold.
	Zones func() []Zone
	// Delegations returns what the registry has been told to delegate.
	Delegations func() []Delegation
	// Texts returns the TXT records of a name in a zone of the registry, whose holder changes them often; nil: nobody does.
	Texts func(name string) []string
}

// Directory knows where the truth about each name is.
type Directory struct{ config Config }

// New returns a directory.
func New(config Config) *Directory { return &Directory{config: config} }

// ExoscaleServer returns the name servers that hold the zones of the API.
func (d *Directory) ExoscaleServer() Server { return Server{zone: d.findHostedZone} }

// RegistryServer returns the name servers that hold the zones above those.
func (d *Directory) RegistryServer() Server {
	return Server{zone: func(name, _ string) (Zone, bool) { return d.findRegisteredZone(name) }}
}

// findHostedZone returns the zone from which Exoscale's servers answer: the closest. Only the question for the servers of a
// zone is answered by the zone above it, if that is here as well, so that its NS records decide. Which of the two the
// live servers ask is not recorded; this is the strict reading.
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

// findAuthoritativeZone returns what the servers say to which the delegations lead, from the registry down.
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
		// A resolver may live with one wrong server among right ones, sometimes; ours never does.
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
