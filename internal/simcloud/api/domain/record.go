package domain

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type record struct {
	resource.Row
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

func (w wireRecord) toRecord() Record {
	r := Record{Name: w.Name, Type: w.Type, Content: w.Content, TTL: int(w.TTL)}
	if w.Priority != nil {
		r.Priority = int(*w.Priority)
	}
	return r
}

// RemoveRecords removes the records for whose names gone returns true from all domains, as another operator would, and returns their
// number.
func (s *Domains) RemoveRecords(gone func(name string) bool) int {
	removed := 0
	for _, r := range s.records.All() {
		if !r.Wire.System && gone(r.Wire.Name) && s.records.Delete(r.ID) == nil {
			removed++
		}
	}
	return removed
}

// MoveRecords changes the content of address records for whose names moved returns true, and returns their number.
func (s *Domains) MoveRecords(moved func(name string) bool, address string) int {
	changed := 0
	for _, r := range s.records.All() {
		if r.Wire.System || r.Wire.Type != "A" || !moved(r.Wire.Name) {
			continue
		}
		r.Wire.Content = address
		if s.records.Put(r) == nil {
			changed++
		}
	}
	return changed
}

// addRecord stores a new record; of is the ALIAS record of a companion, or "".
func (s *Domains) addRecord(d domain, wire wireRecord, of string) (record, error) {
	head, err := s.store.NewRow("")
	if err != nil {
		return record{}, err
	}
	wire.ID, wire.CreatedAt, wire.UpdatedAt = head.ID, head.Created.Truncate(time.Second), head.Created.Truncate(time.Second)
	r := record{Row: head, Domain: d.ID, Wire: wire, Of: of}
	return r, s.records.Put(r)
}

func (s *Domains) findRecords(domain string) []record {
	return s.records.Filter(func(r record) bool { return r.Domain == domain })
}

func (s *Domains) findRecord(req *rest.Request) (record, error) {
	id := req.PathValue("record")
	r, err := s.records.Get("", id)
	if err == nil && r.Domain != req.ID() {
		err = rest.NotFound("dns-domain-record", id)
	}
	return r, err
}

func (s *Domains) listRecords(req *rest.Request) (any, error) {
	d, err := s.domains.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	list := []wireRecord{}
	for _, r := range s.findRecords(d.ID) {
		list = append(list, r.Wire)
	}
	return map[string]any{"dns-domain-records": list}, nil
}

// missing is the default of a name, because the empty name is that of the domain.
const missing = "\x00"

// createRecord adds a duplicate if the record exists already.
func (s *Domains) createRecord(req *rest.Request) (any, error) {
	d, err := s.domains.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	body := wireRecord{Name: missing, TTL: 3600} // the live service's default TTL is not known
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if err := checkRecord(body); err != nil {
		return nil, err
	}
	wire := wireRecord{Name: strings.ToLower(body.Name), Type: body.Type, TTL: body.TTL, Priority: body.Priority}
	wire.Content = normalizeContent(body.Type, body.Content)
	r, err := s.addRecord(d, wire, "")
	if err != nil {
		return nil, err
	}
	if wire.Type == "ALIAS" {
		text := wireRecord{Name: wire.Name, Type: "TXT", Content: aliasContent(wire.Content), TTL: wire.TTL}
		if _, err := s.addRecord(d, text, r.ID); err != nil {
			return nil, err
		}
	}
	return s.startRecordOperation(r)
}

func (s *Domains) startRecordOperation(r record) (any, error) {
	wire := resource.WireOperation{Reference: &resource.Reference{
		ID: r.ID, Link: "/v2/dns-domain/" + r.Domain + "/record/" + r.ID, Command: "get-dns-domain-record",
	}}
	return s.store.Begin("", resource.Duration(r.ID), resource.Operation{Wire: wire})
}

func checkRecord(r wireRecord) error {
	if r.Name == missing {
		return rest.Invalidf("name is required")
	}
	types := []string{"NS", "CAA", "NAPTR", "POOL", "A", "HINFO", "CNAME", "SSHFP", "SRV", "AAAA", "MX", "TXT", "ALIAS", "URL"}
	err := rest.FirstError(rest.CheckOneOf("type", r.Type, types...), rest.CheckRange("ttl", r.TTL, 0, 1<<31-1), checkPriority(r.Priority, 0))
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
	return rest.CheckRange("priority", *priority, least, 1<<16-1)
}

func checkContent(kind, content string) error {
	if content == "" {
		return rest.Invalidf("content must not be empty")
	}
	if kind == "A" || kind == "AAAA" {
		address, err := netip.ParseAddr(content)
		if err != nil || address.Is4() != (kind == "A") {
			return rest.Invalidf("content is not an address for a record of type %s", kind)
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

func (s *Domains) updateRecord(req *rest.Request) (any, error) {
	r, err := s.findEditableRecord(req)
	if err != nil {
		return nil, err
	}
	body := r.Wire
	body.Priority = nil
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	err = rest.FirstError(checkContent(r.Wire.Type, body.Content), rest.CheckRange("ttl", body.TTL, 1, 1<<31-1), checkPriority(body.Priority, 1))
	if err != nil {
		return nil, err
	}
	r.Wire.Name, r.Wire.TTL = strings.ToLower(body.Name), body.TTL
	r.Wire.Content, r.Wire.UpdatedAt = normalizeContent(r.Wire.Type, body.Content), s.store.Now().Truncate(time.Second)
	if body.Priority != nil {
		r.Wire.Priority = body.Priority
	}
	if err := rest.FirstError(s.records.Put(r), s.updateCompanion(r)); err != nil {
		return nil, err
	}
	return s.startRecordOperation(r)
}

// updateCompanion keeps the TXT record of an ALIAS in sync, which is our reading.
func (s *Domains) updateCompanion(alias record) error {
	for _, other := range s.findRecords(alias.Domain) {
		if other.Of != alias.ID {
			continue
		}
		other.Wire.Name, other.Wire.TTL, other.Wire.UpdatedAt = alias.Wire.Name, alias.Wire.TTL, alias.Wire.UpdatedAt
		other.Wire.Content = aliasContent(alias.Wire.Content)
		if err := s.records.Put(other); err != nil {
			return err
		}
	}
	return nil
}

func aliasContent(target string) string { return "ALIAS for " + target }

func (s *Domains) deleteRecord(req *rest.Request) (any, error) {
	r, err := s.findEditableRecord(req)
	if err != nil {
		return nil, err
	}
	for _, other := range s.findRecords(r.Domain) {
		if other.ID == r.ID || other.Of == r.ID {
			if err := s.records.Delete(other.ID); err != nil {
				return nil, err
			}
		}
	}
	return s.startRecordOperation(r)
}

// findEditableRecord refuses the system records of the domain.
func (s *Domains) findEditableRecord(req *rest.Request) (record, error) {
	r, err := s.findRecord(req)
	if err == nil && r.Wire.System {
		err = rest.Errorf(http.StatusForbidden, "System record %s %s can not be modified", r.Wire.Type, r.Wire.Name)
	}
	return r, err
}
