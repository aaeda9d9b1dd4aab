package api

import (
	"net/http"
	"net/netip"
	"strings"
	"time"
)

type record struct {
	row
	Domain string
	Wire   wireRecord
	Of     string // the ALIAS record of a companion
}

type wireRecord struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"` // "" is the domain itself
	Type      string    `json:"type"`
	Content   string    `json:"content"`
	TTL       int64     `json:"ttl"`
	Priority  *int64    `json:"priority,omitempty"`
	System    bool      `json:"system-record"`
	CreatedAt time.Time `json:"created-at"`
	UpdatedAt time.Time `json:"updated-at"`
}

// addRecord adds a TXT record to an ALIAS, which clients have to ignore.
func (a *API) addRecord(d domain, wire wireRecord) error {
	_, err := a.storeRecord(d, wire, "")
	return err
}

func (a *API) storeRecord(d domain, wire wireRecord, of string) (record, error) {
	head, err := a.newRow("")
	if err != nil {
		return record{}, err
	}
	wire.ID, wire.CreatedAt, wire.UpdatedAt = head.ID, head.Created.Truncate(time.Second), head.Created.Truncate(time.Second)
	r := record{row: head, Domain: d.ID, Wire: wire, Of: of}
	return r, a.tables.records.put(r)
}

func (a *API) findRecords(domain string) []record {
	return a.tables.records.filter(func(r record) bool { return r.Domain == domain })
}

func (a *API) findRecord(c *call) (record, error) {
	id := c.request.PathValue("record")
	r, err := a.tables.records.get("", id)
	if err == nil && r.Domain != c.id() {
		err = newNotFound("dns-domain-record", id)
	}
	return r, err
}

func (a *API) listRecords(c *call) (any, error) {
	d, err := a.tables.domains.get("", c.id())
	if err != nil {
		return nil, err
	}
	list := []wireRecord{}
	for _, r := range a.findRecords(d.ID) {
		list = append(list, r.Wire)
	}
	return map[string]any{"dns-domain-records": list}, nil
}

// missing is the default of a name, because the empty name is that of the domain.
const missing = "\x00"

// createRecord adds a duplicate if the record exists already.
func (a *API) createRecord(c *call) (any, error) {
	d, err := a.tables.domains.get("", c.id())
	if err != nil {
		return nil, err
	}
	body := wireRecord{Name: missing, TTL: 3600} // the live service's default TTL is not known
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := checkRecord(body); err != nil {
		return nil, err
	}
	wire := wireRecord{Name: strings.ToLower(body.Name), Type: body.Type, TTL: body.TTL, Priority: body.Priority}
	wire.Content = normalizeContent(body.Type, body.Content)
	r, err := a.storeRecord(d, wire, "")
	if err != nil {
		return nil, err
	}
	if wire.Type == "ALIAS" {
		text := wireRecord{Name: wire.Name, Type: "TXT", Content: aliasContent(wire.Content), TTL: wire.TTL}
		if _, err := a.storeRecord(d, text, r.ID); err != nil {
			return nil, err
		}
	}
	return a.startRecordOperation(r)
}

func (a *API) startRecordOperation(r record) (any, error) {
	wire := wireOperation{Reference: &reference{
		ID: r.ID, Link: "/v2/dns-domain/" + r.Domain + "/record/" + r.ID, Command: "get-dns-domain-record",
	}}
	return a.begin("", computeDuration(r.ID), operation{Wire: wire})
}

func checkRecord(r wireRecord) error {
	if r.Name == missing {
		return newInvalidError("name is required")
	}
	types := []string{"NS", "CAA", "NAPTR", "POOL", "A", "HINFO", "CNAME", "SSHFP", "SRV", "AAAA", "MX", "TXT", "ALIAS", "URL"}
	err := check(checkOneOf("type", r.Type, types...), checkRange("ttl", r.TTL, 0, 1<<31-1), checkPriority(r.Priority, 0))
	if err != nil {
		return err
	}
	return checkContent(r.Type, r.Content)
}

// checkPriority has different bounds for creating and changing a record.
func checkPriority(priority *int64, least int64) error {
	if priority == nil {
		return nil
	}
	return checkRange("priority", *priority, least, 1<<16-1)
}

func checkContent(kind, content string) error {
	if content == "" {
		return newInvalidError("content must not be empty")
	}
	if kind == "A" || kind == "AAAA" {
		address, err := netip.ParseAddr(content)
		if err != nil || address.Is4() != (kind == "A") {
			return newInvalidError("content is not an address for a record of type %s", kind)
		}
	}
	return nil
}

// normalizeContent removes the trailing dot of names.
func normalizeContent(kind, content string) string {
	switch kind {
	case "CNAME", "MX", "ALIAS", "SRV", "NS":
		return strings.TrimSuffix(content, ".")
	}
	return content
}

func (a *API) updateRecord(c *call) (any, error) {
	r, err := a.findEditableRecord(c)
	if err != nil {
		return nil, err
	}
	body := r.Wire
	body.Priority = nil
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	err = check(checkContent(r.Wire.Type, body.Content), checkRange("ttl", body.TTL, 1, 1<<31-1), checkPriority(body.Priority, 1))
	if err != nil {
		return nil, err
	}
	r.Wire.Name, r.Wire.TTL = strings.ToLower(body.Name), body.TTL
	r.Wire.Content, r.Wire.UpdatedAt = normalizeContent(r.Wire.Type, body.Content), a.now().Truncate(time.Second)
	if body.Priority != nil {
		r.Wire.Priority = body.Priority
	}
	if err := check(a.tables.records.put(r), a.updateCompanion(r)); err != nil {
		return nil, err
	}
	return a.startRecordOperation(r)
}

// updateCompanion keeps the TXT record of an ALIAS in sync, which is our reading.
func (a *API) updateCompanion(alias record) error {
	for _, other := range a.findRecords(alias.Domain) {
		if other.Of != alias.ID {
			continue
		}
		other.Wire.Name, other.Wire.TTL, other.Wire.UpdatedAt = alias.Wire.Name, alias.Wire.TTL, alias.Wire.UpdatedAt
		other.Wire.Content = aliasContent(alias.Wire.Content)
		if err := a.tables.records.put(other); err != nil {
			return err
		}
	}
	return nil
}

func aliasContent(target string) string { return "ALIAS for " + target }

func (a *API) deleteRecord(c *call) (any, error) {
	r, err := a.findEditableRecord(c)
	if err != nil {
		return nil, err
	}
	for _, other := range a.findRecords(r.Domain) {
		if other.ID == r.ID || other.Of == r.ID {
			if err := a.tables.records.delete(other.ID); err != nil {
				return nil, err
			}
		}
	}
	return a.startRecordOperation(r)
}

// findEditableRecord refuses the system records of the domain.
func (a *API) findEditableRecord(c *call) (record, error) {
	r, err := a.findRecord(c)
	if err == nil && r.Wire.System {
		err = newAPIError(http.StatusForbidden, "System record %s %s can not be modified", r.Wire.Type, r.Wire.Name)
	}
	return r, err
}
