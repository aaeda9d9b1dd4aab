package api_test

import (
	"strings"
	"testing"

	egoscale "github.com/exoscale/egoscale/v2"
	"github.com/google/go-cmp/cmp"

	"exoshift/internal/simcloud/api/domain"
)

func (w world) domain(name string) *egoscale.DNSDomain {
	w.Helper()
	made, err := w.client.CreateDNSDomain(w.ctx(), zone, &egoscale.DNSDomain{UnicodeName: &name})
	w.must(err)
	return made
}

func (w world) recordIn(d *egoscale.DNSDomain, name, kind, content string) (*egoscale.DNSDomainRecord, error) {
	w.Helper()
	return w.client.CreateDNSDomainRecord(w.ctx(), zone, *d.ID, &egoscale.DNSDomainRecord{
		Name: &name, Type: &kind, Content: &content, TTL: ptr(int64(300)),
	})
}

func TestDomain_SystemRecords(t *testing.T) {
	inBubble(t, nil, func(w world) {
		d := w.domain("c.example.com")
		list, err := w.client.ListDNSDomainRecords(w.ctx(), zone, *d.ID)
		w.must(err)
		count := map[string]int{}
		for _, r := range list {
			count[*r.Type]++
			if *r.Name != "" {
				t.Errorf("system record of %q", *r.Name)
			}
			w.refused(w.client.DeleteDNSDomainRecord(w.ctx(), zone, *d.ID, &r))
		}
		if count["SOA"] != 1 || count["NS"] < 2 {
			t.Errorf("system records: %v", count)
		}
		_, err = w.client.CreateDNSDomain(w.ctx(), zone, &egoscale.DNSDomain{UnicodeName: ptr("c.example.com")})
		w.refused(err)
	})
}

func TestRecord_NormalizedDuplicatesAllowed(t *testing.T) {
	inBubble(t, nil, func(w world) {
		d := w.domain("c.example.com")
		for _, r := range [][3]string{
			{"API", "A", "198.19.0.1"},
			{"api", "A", "198.19.0.1"},
			{"www", "CNAME", "api.c.example.com."},
			{"apex", "ALIAS", "api.c.example.com"},
		} {
			_, err := w.recordIn(d, r[0], r[1], r[2])
			w.must(err)
		}
		_, err := w.recordIn(d, "bad", "A", "api.c.example.com")
		w.refused(err)
		want := []domain.Record{
			{Name: "api", Type: "A", Content: "198.19.0.1", TTL: 300},
			{Name: "api", Type: "A", Content: "198.19.0.1", TTL: 300},
			{Name: "www", Type: "CNAME", Content: "api.c.example.com", TTL: 300},
			{Name: "apex", Type: "ALIAS", Content: "api.c.example.com", TTL: 300},
			{Name: "apex", Type: "TXT", Content: "ALIAS for api.c.example.com", TTL: 300},
		}
		zones := w.api.Zones()
		if diff := cmp.Diff(want, zones[0].Records[5:]); diff != "" {
			t.Error(diff)
		}
		if zones[0].Name != "c.example.com" || len(zones[0].NameServers) < 2 {
			t.Errorf("%+v", zones[0])
		}
	})
}

func TestRecord_AliasCompanion(t *testing.T) {
	inBubble(t, nil, func(w world) {
		d := w.domain("c.example.com")
		alias, err := w.recordIn(d, "apps", "ALIAS", "one.example.com.")
		w.must(err)
		alias.Content, alias.Name = ptr("two.example.com."), ptr("web")
		w.must(w.client.UpdateDNSDomainRecord(w.ctx(), zone, *d.ID, alias))
		want := []domain.Record{
			{Name: "web", Type: "ALIAS", Content: "two.example.com", TTL: 300},
			{Name: "web", Type: "TXT", Content: "ALIAS for two.example.com", TTL: 300},
		}
		if diff := cmp.Diff(want, w.api.Zones()[0].Records[5:]); diff != "" {
			t.Error(diff)
		}
		w.must(w.client.DeleteDNSDomainRecord(w.ctx(), zone, *d.ID, alias))
		if left := w.api.Zones()[0].Records[5:]; len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	})
}

func TestRecord_UpdateAndDelete(t *testing.T) {
	inBubble(t, nil, func(w world) {
		d := w.domain("c.example.com")
		one, err := w.recordIn(d, "api", "A", "198.19.0.1")
		w.must(err)
		two, err := w.recordIn(d, "api", "A", "198.19.0.2")
		w.must(err)
		two.Content, two.Priority = ptr("198.19.0.3"), nil
		w.must(w.client.UpdateDNSDomainRecord(w.ctx(), zone, *d.ID, two))
		w.must(w.client.DeleteDNSDomainRecord(w.ctx(), zone, *d.ID, one))
		records := w.api.Zones()[0].Records
		if last := records[len(records)-1]; len(records) != 6 || last.Content != "198.19.0.3" {
			t.Errorf("%+v", records)
		}
		file, err := w.client.GetDNSDomainZoneFile(w.ctx(), zone, *d.ID)
		w.must(err)
		if !strings.Contains(string(file), "198.19.0.3") {
			t.Errorf("zone file: %s", file)
		}
		w.must(w.client.DeleteDNSDomain(w.ctx(), zone, d))
		if zones := w.api.Zones(); len(zones) != 0 {
			t.Errorf("still there: %+v", zones)
		}
	})
}
