// Package domain is DNS in the Exoscale API of a simulated zone: the organization's domains and their records.
package domain

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// Zone is a DNS domain with the records of its name servers.
type Zone struct {
	Name        string // without a trailing dot
	NameServers []string
	Records     []Record
}

// Record is a DNS record. Names are relative to the zone; "" is the zone itself.
type Record struct {
	Name, Type, Content string
	TTL                 int // seconds
	Priority            int // of MX and SRV
}

// Domains are the organization's DNS domains with their records.
type Domains struct {
	store   *resource.Store
	hasPlan bool
	domains *resource.Table[domain]
	records *resource.Table[record]
}

// New opens the domains. hasPlan: the organization has a plan with free zones.
func New(store *resource.Store, hasPlan bool) *Domains {
	return &Domains{
		store: store, hasPlan: hasPlan, domains: resource.Open[domain](store, domainNoun), records: resource.Open[record](store, "dns-domain-record"),
	}
}

// Zones returns all domains with their records.
func (s *Domains) Zones() []Zone {
	var list []Zone
	for _, d := range s.domains.All() {
		zone := Zone{Name: d.Wire.Name, NameServers: listNameServers()}
		for _, r := range s.findRecords(d.ID) {
			zone.Records = append(zone.Records, r.Wire.toRecord())
		}
		list = append(list, zone)
	}
	return list
}

type domain struct {
	resource.Row
	Wire wireDomain
}

type wireDomain struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created-at"`
	Name      string    `json:"unicode-name"`
}

const domainNoun = "dns-domain"

// nameServers: the servers' domains are known, their number and first labels are not.
func listNameServers() []string {
	return []string{"ns1.exoscale.com", "ns1.exoscale.ch", "ns1.exoscale.io", "ns1.exoscale.net"}
}

// RegisterRoutes adds the routes of domains and records.
func (s *Domains) RegisterRoutes(register rest.Register) {
	register("GET /dns-domain", s.list)
	register("POST /dns-domain", s.create)
	register("GET /dns-domain/{id}", func(req *rest.Request) (any, error) {
		d, err := s.domains.Get("", req.ID())
		return d.Wire, err
	})
	register("DELETE /dns-domain/{id}", s.delete)
	register("GET /dns-domain/{id}/zone", s.getZoneFile)
	register("GET /dns-domain/{id}/record", s.listRecords)
	register("POST /dns-domain/{id}/record", s.createRecord)
	register("GET /dns-domain/{id}/record/{record}", func(req *rest.Request) (any, error) {
		r, err := s.findRecord(req)
		return r.Wire, err
	})
	register("PUT /dns-domain/{id}/record/{record}", s.updateRecord)
	register("DELETE /dns-domain/{id}/record/{record}", s.deleteRecord)
}

func (s *Domains) list(*rest.Request) (any, error) {
	list := []wireDomain{}
	for _, d := range s.domains.All() {
		list = append(list, d.Wire)
	}
	return map[string]any{"dns-domains": list}, nil
}

func (s *Domains) create(req *rest.Request) (any, error) {
	var body wireDomain
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	name := strings.ToLower(strings.TrimSuffix(body.Name, "."))
	if _, ok := dns.IsDomainName(name); !ok || !strings.Contains(name, ".") {
		return nil, rest.Invalidf("unicode-name is not a domain name")
	}
	if _, taken := s.domains.Find(func(d domain) bool { return d.Wire.Name == name }); taken {
		return nil, rest.Errorf(http.StatusConflict, "DNS domain %s already exists", name)
	}
	if !s.hasPlan { // status and text are not recorded
		return nil, rest.Errorf(http.StatusForbidden, "The organization has no DNS subscription with a free zone")
	}
	head, err := s.store.NewRow("")
	if err != nil {
		return nil, err
	}
	d := domain{Row: head, Wire: wireDomain{ID: head.ID, CreatedAt: head.Created.Truncate(time.Second), Name: name}}
	if err := rest.FirstError(s.domains.Put(d), s.addSystemRecords(d)); err != nil {
		return nil, err
	}
	return s.store.StartOperation(head, domainNoun)
}

// addSystemRecords creates the initial records of every domain.
func (s *Domains) addSystemRecords(d domain) error {
	soa := fmt.Sprintf("%s hostmaster.exoscale.com 1 86400 7200 604800 300", listNameServers()[0])
	if _, err := s.addRecord(d, wireRecord{Type: "SOA", Content: soa, TTL: 3600, System: true}, ""); err != nil {
		return err
	}
	for _, server := range listNameServers() {
		if _, err := s.addRecord(d, wireRecord{Type: "NS", Content: server, TTL: 3600, System: true}, ""); err != nil {
			return err
		}
	}
	return nil
}

func (s *Domains) delete(req *rest.Request) (any, error) {
	d, err := s.domains.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	for _, r := range s.findRecords(d.ID) {
		if err := s.records.Delete(r.ID); err != nil {
			return nil, err
		}
	}
	return s.domains.Remove(d)
}

func (s *Domains) getZoneFile(req *rest.Request) (any, error) {
	d, err := s.domains.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	text := "$ORIGIN " + d.Wire.Name + ".\n$TTL 1h\n"
	for _, r := range s.findRecords(d.ID) {
		text += fmt.Sprintf("%s %d IN %s %s\n", r.Wire.Name, r.Wire.TTL, r.Wire.Type, r.Wire.Content)
	}
	return map[string]any{"zone-file": text}, nil
}
