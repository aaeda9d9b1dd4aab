package names

import (
	"net/netip"

	"exoshift/internal/network"
)

// servers are Exoscale's name servers for a zone.
func servers() []string { return []string{"ns1.exoscale.ch", "ns1.exoscale.com"} }

func address(s string) netip.Addr { return netip.MustParseAddr(s) }

// hold returns a zone as Exoscale creates it.
func hold(name string, records ...Record) Zone {
	zone := Zone{Name: name, Records: []Record{
		{Name: name, Type: "SOA", Content: "ns1.exoscale.com hostmaster.exoscale.com 1 86400 7200 604800 300", TTL: 3600}}}
	for _, server := range servers() {
		zone.Records = append(zone.Records, Record{Name: name, Type: "NS", Content: server, TTL: 3600})
	}
	for _, r := range records {
		if r.TTL == 0 {
			r.TTL = 60
		}
		zone.Records = append(zone.Records, r)
	}
	return zone
}

// internet holds names that tests change.
type internet struct {
	zones     []Zone
	delegated []Delegation
	asked     int // number of cache misses
}

func (i *internet) directory() *Directory {
	return New(Config{
		Hosts: map[string]netip.Addr{
			"mirror.openshift.com": address("203.0.113.30"), "ns1.exoscale.com": address("203.0.113.53"),
		},
		Zones:       func() []Zone { i.asked++; return i.zones },
		Delegations: func() []Delegation { return i.delegated },
	})
}

func (i *internet) resolver() *Resolver { return NewResolver(i.directory(), network.Clock{}) }

// cluster returns an internet with a cluster's correctly delegated zone.
func cluster() *internet {
	zone := hold("c-1.example.net",
		Record{Name: "api.c-1.example.net", Type: "A", Content: "198.19.0.1"},
		Record{Name: "router.c-1.example.net", Type: "A", Content: "198.18.0.9"},
		Record{Name: "router.c-1.example.net", Type: "A", Content: "198.18.0.8"},
		Record{Name: "ingress.c-1.example.net", Type: "A", Content: "198.19.0.2"},
		Record{Name: "*.apps.c-1.example.net", Type: "CNAME", Content: "ingress.c-1.example.net"},
		Record{Name: "api-int.c-1.example.net", Type: "CNAME", Content: "api.c-1.example.net"},
		Record{Name: "apex.c-1.example.net", Type: "ALIAS", Content: "api.c-1.example.net"},
		Record{Name: "_acme.c-1.example.net", Type: "TXT", Content: "v=1; a b"},
		Record{Name: "loop.c-1.example.net", Type: "CNAME", Content: "loop.c-1.example.net"},
		Record{Name: "void.c-1.example.net", Type: "CNAME", Content: "nowhere.c-1.example.net"},
		Record{Name: "out.c-1.example.net", Type: "CNAME", Content: "mirror.openshift.com"},
		Record{Name: "old.c-1.example.net", Type: "NS", Content: "ns1.elsewhere.test"},
	)
	return &internet{zones: []Zone{zone}, delegated: []Delegation{{Zone: "c-1.example.net", Servers: []string{"ns1.exoscale.com", "NS1.exoscale.ch."}}}}
}
