package contract_test

import (
	"context"
	"net/http"

	"exoshift/state"
)

// domain is a zone of this run alone.
func (w *world) domain() string { return w.name("contract.example.com") }

func dnsZone(_ context.Context, w *world) subject {
	zones := &things{world: w, kind: state.KindZone, name: w.domain()}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			_, action, err := w.cloud.EnsureZone(ctx, zones.name)
			return action, err
		},
		count: zones.count, remove: zones.remove,
		double: func(ctx context.Context) error {
			return w.post(ctx, "/dns-domain", map[string]any{"unicode-name": zones.name})
		},
	}
}

// dnsRecord is about a record, of which the API allows doubles: ensuring leaves one.
func dnsRecord(ctx context.Context, w *world) subject {
	zone, _, err := w.cloud.EnsureZone(ctx, w.domain())
	w.check(err)
	record := state.Record{Name: "api", Type: "A", Content: "192.0.2.1", TTL: 60}
	path := "/dns-domain/" + zone.ID + "/record"
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) { return w.cloud.EnsureRecord(ctx, zone.ID, record) },
		count: func(ctx context.Context) int {
			var live struct {
				Records []struct{ Name, Type string } `json:"dns-domain-records"`
			}
			w.check(w.send(ctx, http.MethodGet, path, nil, &live))
			n := 0
			for _, one := range live.Records {
				if one.Name == record.Name && one.Type == record.Type {
					n++
				}
			}
			return n
		},
		remove: func(ctx context.Context) (state.Action, error) {
			return w.cloud.DeleteRecords(ctx, zone.ID, record.Name, record.Type, anyContent)
		},
		double: func(ctx context.Context) error {
			return w.post(ctx, path, map[string]any{"name": record.Name, "type": record.Type, "content": record.Content, "ttl": record.TTL})
		},
		several: state.Updated,
	}
}

func anyContent(string) bool { return true }
