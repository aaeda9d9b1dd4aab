package exoscale

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

// EnsureRecord makes record the only one of its name, type and content; the API does not prevent duplicates. Others of the same
// name and type stay, except for a CNAME, of which a name can have only one.
func (c *DNS) EnsureRecord(ctx context.Context, zoneID string, record state.Record) (action state.Action, err error) {
	if record.TTL <= 0 { // what the API does without a TTL is not known
		return "", fault.Newf(fault.Invalid, "ensure dns-record "+recordName(record), "it has no TTL")
	}
	err = api.Repeat(ctx, c.api, "ensure dns-record "+recordName(record), func(ctx context.Context) (err error) {
		action, err = c.ensureRecord(ctx, zoneID, record)
		return err
	})
	return action, err
}

func (c *DNS) ensureRecord(ctx context.Context, zoneID string, record state.Record) (state.Action, error) {
	all, err := c.listRecords(ctx, zoneID)
	if err != nil {
		return "", err
	}
	others := filterMatching(all, func(live v2.DNSDomainRecord) bool { return isConflicting(live, record) })
	if len(others) == 0 {
		return state.Created, c.createRecord(ctx, zoneID, record)
	}
	action, err := c.syncRecord(ctx, zoneID, others[0], record)
	if err != nil {
		return action, err
	}
	for _, double := range others[1:] {
		action = state.Updated
		if err := c.deleteRecord(ctx, zoneID, double); err != nil {
			return action, err
		}
	}
	return action, nil
}

func isConflicting(live v2.DNSDomainRecord, record state.Record) bool {
	if normalizeHost(deref(live.Name)) != normalizeHost(record.Name) || deref(live.Type) != record.Type {
		return false
	}
	return record.Type == "CNAME" || hasSameContent(live, record)
}

func hasSameContent(live v2.DNSDomainRecord, record state.Record) bool {
	return normalizeContent(record.Type, deref(live.Content)) == normalizeContent(record.Type, record.Content)
}

// normalizeContent returns the content in comparable form: the API drops trailing dots and may quote texts.
func normalizeContent(kind, content string) string {
	switch kind {
	case "A", "AAAA":
		if address, err := netip.ParseAddr(content); err == nil {
			return address.String()
		}
	case "TXT":
		return strings.Trim(content, `"`)
	}
	return normalizeHost(content)
}

type recordRequest struct {
	Name    string `json:"name"` // "" is the zone itself
	Type    string `json:"type"`
	Content string `json:"content"`
	TTL     int    `json:"ttl"` // seconds
}

func (c *DNS) createRecord(ctx context.Context, zoneID string, record state.Record) error {
	return c.api.ApplyChange(ctx, state.Created, kindRecord, recordName(record), func(ctx context.Context) (string, error) {
		body := recordRequest{record.Name, record.Type, record.Content, record.TTL}
		return c.api.ExecuteChange(ctx, "create dns-record "+recordName(record), http.MethodPost, "/dns-domain/"+zoneID+"/record", body)
	})
}

func (c *DNS) syncRecord(ctx context.Context, zoneID string, live v2.DNSDomainRecord, record state.Record) (state.Action, error) {
	if hasSameContent(live, record) && deref(live.TTL) == int64(record.TTL) {
		return c.api.RecordAdoption(kindRecord, recordName(record), deref(live.ID))
	}
	return state.Updated, c.api.ApplyChange(ctx, state.Updated, kindRecord, recordName(record), func(ctx context.Context) (string, error) {
		update := toV2Record(record)
		update.ID, update.Priority = live.ID, live.Priority
		return deref(live.ID), c.api.V2.UpdateDNSDomainRecord(ctx, c.api.Zone, zoneID, update)
	})
}

func toV2Record(record state.Record) *v2.DNSDomainRecord {
	return &v2.DNSDomainRecord{
		Name:    &record.Name,
		Type:    &record.Type,
		Content: &record.Content,
		TTL:     new(int64(record.TTL)),
	}
}

// DeleteRecords deletes the records of a name and type whose content useless returns true for. The SOA and NS records of the zone
// itself are Exoscale's.
func (c *DNS) DeleteRecords(ctx context.Context, zoneID, name, kind string, useless func(content string) bool) (state.Action, error) {
	if name == "" && (kind == "NS" || kind == "SOA") {
		return "", fault.Newf(fault.Invalid, "delete dns-record "+kind, "the zone requires it")
	}
	all, err := c.listRecords(ctx, zoneID)
	if err != nil {
		return "", err
	}
	action := state.Found
	for _, record := range all {
		if normalizeHost(deref(record.Name)) != normalizeHost(name) || deref(record.Type) != kind {
			continue
		}
		if !useless(normalizeContent(kind, deref(record.Content))) {
			continue
		}
		action = state.Deleted
		if err := c.deleteRecord(ctx, zoneID, record); err != nil {
			return action, err
		}
	}
	return action, nil
}

// ListRecords returns the records of a DNS zone except those that every zone has. Their Uses name the zone.
func (c *DNS) ListRecords(ctx context.Context, zone state.Object) ([]state.Object, error) {
	live, err := c.listRecords(ctx, zone.ID)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	var records []state.Object
	for _, r := range live {
		apex := deref(r.Name) == "" && (deref(r.Type) == "NS" || deref(r.Type) == "SOA")
		if apex || isCompanion(r, live) {
			continue
		}
		name := recordName(state.Record{Name: deref(r.Name), Type: deref(r.Type), Content: deref(r.Content)})
		records = append(records, state.Object{Kind: kindRecord, Name: name, ID: deref(r.ID), Uses: []string{zone.ID}, Created: deref(r.CreatedAt)})
	}
	return records, err
}

// isCompanion reports whether a record is the TXT that Exoscale creates and deletes with an ALIAS.
func isCompanion(record v2.DNSDomainRecord, all []v2.DNSDomainRecord) bool {
	return deref(record.Type) == "TXT" && strings.HasPrefix(normalizeContent("TXT", deref(record.Content)), "ALIAS for ") &&
		slices.ContainsFunc(all, func(other v2.DNSDomainRecord) bool {
			return deref(other.Type) == "ALIAS" && deref(other.Name) == deref(record.Name)
		})
}

func (c *DNS) deleteRecordOf(ctx context.Context, o state.Object) (state.Action, error) {
	if len(o.Uses) != 1 {
		return "", fault.Newf(fault.Internal, "delete dns-record "+o.Name, "it has no zone")
	}
	zone := o.Uses[0]
	all, err := c.listRecords(ctx, zone)
	if fault.Is(err, fault.NotFound) {
		return state.Found, nil
	}
	if err != nil {
		return "", err
	}
	for _, record := range all {
		if deref(record.ID) == o.ID {
			return state.Deleted, c.deleteRecord(ctx, zone, record)
		}
	}
	return state.Found, nil
}

func (c *DNS) deleteRecord(ctx context.Context, zoneID string, record v2.DNSDomainRecord) error {
	name := recordName(state.Record{Name: deref(record.Name), Type: deref(record.Type), Content: deref(record.Content)})
	return c.api.ApplyChange(ctx, state.Deleted, kindRecord, name, func(ctx context.Context) (string, error) {
		err := c.api.V2.DeleteDNSDomainRecord(ctx, c.api.Zone, zoneID, &record)
		return deref(record.ID), c.api.IgnoreNotFound(ctx, err)
	})
}

func (c *DNS) listRecords(ctx context.Context, zoneID string) ([]v2.DNSDomainRecord, error) {
	if c.api.IsPreviewID(zoneID) {
		return nil, nil
	}
	return api.Call(ctx, c.api, "list DNS records", func(ctx context.Context) ([]v2.DNSDomainRecord, error) {
		return c.api.V2.ListDNSDomainRecords(ctx, c.api.Zone, zoneID)
	})
}

func recordName(record state.Record) string {
	name := record.Name
	if name == "" {
		name = "@"
	}
	return name + " " + record.Type + " " + record.Content
}
