package names

import (
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// defaultNegativeTTL is for zones without SOA. Exoscale's SOA records are not recorded; five minutes is our reading there, too.
const defaultNegativeTTL = 5 * time.Minute

// Record is a DNS record. Names, also in contents, are fully qualified, without the trailing dot.
type Record struct {
	Name     string // "*" as the first label is a wildcard
	Type     string // A, CNAME, ...
	Content  string
	TTL      int // seconds
	Priority int // of MX and SRV
}

// Zone is a DNS zone.
type Zone struct {
	Name    string
	Records []Record
}

// find returns the records of the type, or the name's alias. exists reports whether the name exists at all.
func (z Zone) find(name, kind string) (records []Record, exists bool) {
	owner, exists := z.findOwner(name)
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

// findOwner returns the name itself, or the wildcard below its closest ancestor.
func (z Zone) findOwner(name string) (owner string, exists bool) {
	for ancestor := name; isWithin(ancestor, z.Name); {
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

func (z Zone) has(name string) bool {
	if name == z.Name {
		return true
	}
	for _, r := range z.Records {
		if isWithin(toCanonical(r.Name), name) {
			return true
		}
	}
	return false
}

func (z Zone) findDelegation(name string) (cut Delegation, delegated bool) {
	for _, r := range z.Records {
		owner := toCanonical(r.Name)
		if !strings.EqualFold(r.Type, "NS") || owner == z.Name || !isWithin(name, owner) {
			continue
		}
		if cut.Zone == "" || len(owner) < len(cut.Zone) {
			cut.Zone = owner
		}
	}
	if cut.Zone != "" {
		cut.Servers = z.listNames(cut.Zone)
	}
	return cut, cut.Zone != ""
}

// Servers returns the zone's own name servers, sorted.
func (z Zone) Servers() []string { return z.listNames(z.Name) }

func (z Zone) listNames(owner string) []string {
	var list []string
	for _, r := range z.Records {
		if strings.EqualFold(r.Type, "NS") && toCanonical(r.Name) == owner {
			list = append(list, toCanonical(r.Content))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// buildNegative returns the SOA record of a negative response, and its TTL in seconds (RFC 2308, 5).
func (z Zone) buildNegative() (soa Record, seconds int) {
	records, _ := z.find(z.Name, "SOA")
	if len(records) == 0 {
		return Record{}, int(defaultNegativeTTL / time.Second)
	}
	soa = records[0]
	if rr, err := dns.NewRR(soa.formatLine()); err == nil {
		if parsed, ok := rr.(*dns.SOA); ok {
			soa.TTL = min(soa.TTL, int(parsed.Minttl))
		}
	}
	return soa, soa.TTL
}

func isWithin(name, zone string) bool {
	return name == zone || strings.HasSuffix(name, "."+zone)
}

func toCanonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }
