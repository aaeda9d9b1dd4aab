package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/miekg/dns"
)

type domain struct {
	row
	Wire wireDomain
}

type wireDomain struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created-at"`
	Name      string    `json:"unicode-name"`
}

const domainNoun = "dns-domain"

// nameServers: the servers' domains are known, their number and first labels are not.
func nameServers() []string {
	return []string{"ns1.exoscale.com", "ns1.exoscale.ch", "ns1.exoscale.io", "ns1.exoscale.net"}
}

func (a *API) registerDomainRoutes(register func(string, handler)) {
	register("GET /dns-domain", a.listDomains)
	register("POST /dns-domain", a.createDomain)
	register("GET /dns-domain/{id}", func(c *call) (any, error) {
		d, err := a.tables.domains.get("", c.id())
		return d.Wire, err
	})
	register("DELETE /dns-domain/{id}", a.deleteDomain)
	register("GET /dns-domain/{id}/zone", a.getZoneFile)
	register("GET /dns-domain/{id}/record", a.listRecords)
	register("POST /dns-domain/{id}/record", a.createRecord)
	register("GET /dns-domain/{id}/record/{record}", func(c *call) (any, error) {
		r, err := a.findRecord(c)
		return r.Wire, err
	})
	register("PUT /dns-domain/{id}/record/{record}", a.updateRecord)
	register("DELETE /dns-domain/{id}/record/{record}", a.deleteRecord)
}

func (a *API) listDomains(*call) (any, error) {
	list := []wireDomain{}
	for _, d := range a.tables.domains.listAll() {
		list = append(list, d.Wire)
	}
	return map[string]any{"dns-domains": list}, nil
}

func (a *API) createDomain(c *call) (any, error) {
	var body wireDomain
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	name := strings.ToLower(strings.TrimSuffix(body.Name, "."))
	if _, ok := dns.IsDomainName(name); !ok || !strings.Contains(name, ".") {
		return nil, newInvalidError("unicode-name is not a domain name")
	}
	if _, taken := a.tables.domains.find(func(d domain) bool { return d.Wire.Name == name }); taken {
		return nil, newAPIError(http.StatusConflict, "DNS domain %s already exists", name)
	}
	head, err := a.newRow("")
	if err != nil {
		return nil, err
	}
	d := domain{row: head, Wire: wireDomain{ID: head.ID, CreatedAt: head.Created.Truncate(time.Second), Name: name}}
	if err := check(a.tables.domains.put(d), a.addSystemRecords(d)); err != nil {
		return nil, err
	}
	return a.startOperation(head, domainNoun)
}

// addSystemRecords creates the initial records of every domain.
func (a *API) addSystemRecords(d domain) error {
	soa := fmt.Sprintf("%s hostmaster.exoscale.com 1 86400 7200 604800 300", nameServers()[0])
	if err := a.addRecord(d, wireRecord{Type: "SOA", Content: soa, TTL: 3600, System: true}); err != nil {
		return err
	}
	for _, server := range nameServers() {
		if err := a.addRecord(d, wireRecord{Type: "NS", Content: server, TTL: 3600, System: true}); err != nil {
			return err
		}
	}
	return nil
}

func (a *API) deleteDomain(c *call) (any, error) {
	d, err := a.tables.domains.get("", c.id())
	if err != nil {
		return nil, err
	}
	for _, r := range a.findRecords(d.ID) {
		if err := a.tables.records.delete(r.ID); err != nil {
			return nil, err
		}
	}
	if err := a.tables.domains.delete(d.ID); err != nil {
		return nil, err
	}
	return a.startOperation(d.row, domainNoun)
}

func (a *API) getZoneFile(c *call) (any, error) {
	d, err := a.tables.domains.get("", c.id())
	if err != nil {
		return nil, err
	}
	text := "$ORIGIN " + d.Wire.Name + ".\n$TTL 1h\n"
	for _, r := range a.findRecords(d.ID) {
		text += fmt.Sprintf("%s %d IN %s %s\n", r.Wire.Name, r.Wire.TTL, r.Wire.Type, r.Wire.Content)
	}
	return map[string]any{"zone-file": text}, nil
}
