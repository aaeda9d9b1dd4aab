package exoscale_test

import (
	"context"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func a(name, address string, ttl int) state.Record {
	return state.Record{Name: name, Type: "A", Content: address, TTL: ttl}
}

func zoned(t *testing.T, test func(ctx context.Context, w *world, zoneID string)) {
	t.Helper()
	inWorld(t, func(ctx context.Context, w *world) {
		zone, _, err := w.EnsureZone(ctx, "c.example.com")
		w.check(err)
		test(ctx, w, zone.ID)
	})
}

func (w *world) ensureRecord(ctx context.Context, zoneID string, record state.Record, want state.Action) {
	w.t.Helper()
	action, err := w.EnsureRecord(ctx, zoneID, record)
	w.wantAction(action, err, want)
}

func TestEnsureZone_ReportsNameServers(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		zone, _, err := w.EnsureZone(ctx, "c.example.com")
		w.check(err)
		w.ensureRecord(ctx, zone.ID, state.Record{Type: "TXT", Content: "a text", TTL: 60}, state.Created)
		zone, _, err = w.EnsureZone(ctx, "c.example.com")
		w.check(err)
		if len(zone.NameServers) < 2 {
			w.t.Errorf("%+v", zone)
		}
		for _, server := range zone.NameServers {
			if !strings.Contains(server, ".exoscale.") || strings.ContainsAny(server, " /") {
				w.t.Errorf("%q is no name server", server)
			}
		}
	})
}

func TestEnsureRecord_KeepsOtherRecords(t *testing.T) {
	zoned(t, func(ctx context.Context, w *world, zoneID string) {
		w.ensureRecord(ctx, zoneID, a("api", "192.0.2.7", 60), state.Created)
		w.ensureRecord(ctx, zoneID, a("api", "192.0.2.8", 60), state.Created)
		w.unchanged(func() {
			w.ensureRecord(ctx, zoneID, a("api", "192.0.2.7", 60), state.Found)
			w.ensureRecord(ctx, zoneID, a("api", "192.0.2.8", 60), state.Found)
		})
		w.ensureRecord(ctx, zoneID, a("api", "192.0.2.8", 600), state.Updated)
	})
}

func TestEnsureRecord_ReplacesCNAME(t *testing.T) {
	zoned(t, func(ctx context.Context, w *world, zoneID string) {
		record := state.Record{Name: "*.apps", Type: "CNAME", Content: "ingress.c.example.com.", TTL: 60}
		w.ensureRecord(ctx, zoneID, record, state.Created)
		w.unchanged(func() { w.ensureRecord(ctx, zoneID, record, state.Found) })
		record.Content = "elsewhere.example.com"
		w.ensureRecord(ctx, zoneID, record, state.Updated)
		w.unchanged(func() { w.ensureRecord(ctx, zoneID, record, state.Found) })
	})
}

func TestEnsureRecord_RemovesDuplicates(t *testing.T) {
	zoned(t, func(ctx context.Context, w *world, zoneID string) {
		w.ensureRecord(ctx, zoneID, a("api", "192.0.2.7", 60), state.Created)
		w.InjectFaults(site.Fault{Match: "GET /v2/dns-domain/", Respond: matchPattern(200, `{"dns-domain-records":[]}`)})
		w.ensureRecord(ctx, zoneID, a("api", "192.0.2.7", 60), state.Created)
		w.ensureRecord(ctx, zoneID, a("api", "192.0.2.7", 60), state.Updated)
		if n := w.count("DELETE"); n != 1 {
			w.t.Errorf("%d deletions", n)
		}
		w.unchanged(func() { w.ensureRecord(ctx, zoneID, a("api", "192.0.2.7", 60), state.Found) })
	})
}

func TestDeleteRecords_IsIdempotent(t *testing.T) {
	zoned(t, func(ctx context.Context, w *world, zoneID string) {
		for _, record := range []state.Record{a("etcd", "192.0.2.7", 60), a("etcd", "192.0.2.8", 60), a("api", "192.0.2.7", 60)} {
			w.ensureRecord(ctx, zoneID, record, state.Created)
		}
		action, err := w.DeleteRecords(ctx, zoneID, "etcd", "A", anyContent)
		w.wantAction(action, err, state.Deleted)
		w.unchanged(func() {
			action, err := w.DeleteRecords(ctx, zoneID, "etcd", "A", anyContent)
			w.wantAction(action, err, state.Found)
			w.ensureRecord(ctx, zoneID, a("api", "192.0.2.7", 60), state.Found)
		})
	})
}

func TestDeleteRecords_RetriesLostAnswer(t *testing.T) {
	zoned(t, func(ctx context.Context, w *world, zoneID string) {
		w.ensureRecord(ctx, zoneID, a("etcd", "192.0.2.7", 60), state.Created)
		lost := site.Fault{Match: "DELETE /v2/dns-domain/", ServeFirst: true}
		w.InjectFaults(lost)
		action, err := w.DeleteRecords(ctx, zoneID, "etcd", "A", anyContent)
		w.wantAction(action, err, state.Deleted)
	})
}

func TestEnsureRecord_RefusesInvalid(t *testing.T) {
	zoned(t, func(ctx context.Context, w *world, zoneID string) {
		_, err := w.EnsureRecord(ctx, zoneID, a("api", "192.0.2.7", 0))
		w.wantFault(err, fault.Invalid, "TTL")
		_, err = w.DeleteRecords(ctx, zoneID, "", "NS", anyContent)
		w.wantFault(err, fault.Invalid)
	})
}

func anyContent(string) bool { return true }
