// Package names answers questions for names: the fixed hosts of the simulated internet, and the DNS zones that the
// Exoscale API serves.
package names

import (
	"context"
	"net"
	"net/netip"
	"strings"
)

// maxAliases is how many CNAME records a resolver follows.
const maxAliases = 8

// Record is a DNS record. Names and contents that are names are fully qualified, without the trailing dot.
type Record struct {
	Name     string // "*" as the first label is a wildcard
	Type     string // A, CNAME, ...
	Content  string
	TTL      int // seconds
	Priority int // of MX and SRV
}

// Zone is a DNS zone. Whoever creates it owns it: its parent delegates to it by itself.
type Zone struct {
	Name    string
	Records []Record
}

// Directory knows all names. Its functions are safe for concurrent use.
type Directory struct {
	hosts map[string]netip.Addr
	zones func() []Zone
}

// New returns a directory of fixed hosts and of zones, which are asked for at each question.
func New(hosts map[string]netip.Addr, zones func() []Zone) *Directory {
	return &Directory{hosts: hosts, zones: zones}
}

// Lookup returns the IPv4 addresses of a name in the order of their records. A name without any is a *net.DNSError
// whose IsNotFound is true.
func (d *Directory) Lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	if err := ctx.Err(); err != nil {
		return nil, &net.DNSError{Err: err.Error(), Name: name, IsTimeout: true}
	}
	asked := canonical(name)
	for range maxAliases {
		if host, ok := d.hosts[asked]; ok {
			return []netip.Addr{host}, nil
		}
		zone, ok := d.zone(asked)
		if !ok {
			break
		}
		records, _ := zone.find(asked, "A")
		if len(records) == 0 {
			break
		}
		if records[0].Type == "A" {
			return addresses(records), nil
		}
		asked = canonical(records[0].Content)
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func addresses(records []Record) []netip.Addr {
	var list []netip.Addr
	for _, r := range records {
		if address, err := netip.ParseAddr(r.Content); err == nil {
			list = append(list, address)
		}
	}
	return list
}

// zone returns the zone that is authoritative for a name.
func (d *Directory) zone(name string) (Zone, bool) {
	var best Zone
	for _, zone := range d.zones() {
		if within(name, zone.Name) && len(zone.Name) > len(best.Name) {
			best = zone
		}
	}
	return best, best.Name != ""
}

// find returns the records that answer a question: those of the type, or the alias that stands for the name. exists
// tells whether the name exists at all.
func (z Zone) find(name, kind string) (records []Record, exists bool) {
	owner, exists := z.owner(name)
	for _, r := range z.Records {
		if !strings.EqualFold(r.Name, owner) {
			continue
		}
		if r.Name, r.Type = name, strings.ToUpper(r.Type); r.Type == "ALIAS" {
			r.Type = "CNAME" // served as the addresses of its target
		}
		switch r.Type {
		case "CNAME":
			return []Record{r}, true
		case kind:
			records = append(records, r)
		}
	}
	return records, exists
}

// owner returns the name whose records answer for a name: itself, or the wildcard below its closest ancestor.
func (z Zone) owner(name string) (owner string, exists bool) {
	for ancestor := name; within(ancestor, z.Name); {
		if z.has(ancestor) {
			wildcard := "*." + ancestor
			if ancestor == name {
				return name, true
			}
			return wildcard, z.has(wildcard)
		}
		_, ancestor, _ = strings.Cut(ancestor, ".")
	}
	return name, false
}

// has tells whether a name has records, or only names below it.
func (z Zone) has(name string) bool {
	if name == z.Name {
		return true
	}
	for _, r := range z.Records {
		if within(canonical(r.Name), name) {
			return true
		}
	}
	return false
}

// within tells whether a name is a zone's name or below it.
func within(name, zone string) bool {
	return name == zone || strings.HasSuffix(name, "."+zone)
}

func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
