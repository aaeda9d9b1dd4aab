package names

import (
	"net/netip"
	"strings"
)

// RegistryServers returns the name servers of every zone that Exoscale does not hold.
func RegistryServers() []string { return []string{"ns1.registry.example", "ns2.registry.example"} }

// findRegisteredZone returns the registry's zone for a name: every domain of two labels is a zone there, unless it is delegated
// as a whole; then it is the top-level domain.
func (d *Directory) findRegisteredZone(name string) (Zone, bool) {
	labels := strings.Split(name, ".")
	if name == "" {
		return Zone{}, false
	}
	zone := strings.Join(labels[max(len(labels)-2, 0):], ".")
	delegations := d.config.Delegations()
	for _, delegation := range delegations {
		if delegation.Zone == zone {
			zone = labels[len(labels)-1]
		}
	}
	found := d.buildRegistryZone(zone, delegations)
	if d.config.Texts != nil {
		for _, text := range d.config.Texts(name) {
			found.Records = append(found.Records, Record{Name: name, Type: "TXT", Content: text, TTL: 1})
		}
	}
	return found, true
}

func newHostRecord(name string, host netip.Addr) Record {
	return Record{Name: name, Type: "A", Content: host.String(), TTL: hostTTL}
}

// buildRegistryZone: negative responses have a TTL of 15 minutes, as in many real zones.
func (d *Directory) buildRegistryZone(name string, delegations []Delegation) Zone {
	soa := RegistryServers()[0] + ". hostmaster.registry.example. 1 7200 900 1209600 900"
	zone := Zone{Name: name, Records: []Record{{Name: name, Type: "SOA", Content: soa, TTL: 3600}}}
	for _, server := range RegistryServers() {
		zone.Records = append(zone.Records, Record{Name: name, Type: "NS", Content: server, TTL: 3600})
	}
	for host, address := range d.config.Hosts {
		if isWithin(host, name) {
			zone.Records = append(zone.Records, newHostRecord(host, address))
		}
	}
	for _, delegation := range delegations {
		for _, server := range delegation.Servers {
			if isWithin(delegation.Zone, name) {
				zone.Records = append(zone.Records, Record{Name: delegation.Zone, Type: "NS", Content: server, TTL: 3600})
			}
		}
	}
	return zone
}
