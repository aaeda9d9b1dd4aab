package exoscale_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/state"
)

func (w *world) previewed() *world {
	return &world{Client: w.WithPreview(), Site: w.Site, t: w.t, net: w.net, journal: w.journal, api: w.api}
}

func TestPreview_CreatesNothing(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		preview := w.previewed()
		w.unchanged(func() {
			for kind, ensure := range ensures(ctx, preview) {
				action, err := ensure()
				w.t.Log(kind)
				w.wantAction(action, err, state.Created)
			}
			w.previewWithoutIDs(ctx, preview)
		})
		if len(w.journal.entries) > 0 {
			w.t.Errorf("the journal holds %v", w.journal.entries)
		}
	})
}

func (w *world) previewWithoutIDs(ctx context.Context, preview *world) {
	w.t.Helper()
	rule := state.Rule{Protocol: "tcp", From: 22, To: 22, Group: "another that is not there"}
	id, action, err := preview.EnsureSecurityGroup(ctx, group("nodes", rule))
	w.wantAction(action, err, state.Created)
	ip, action, err := preview.EnsureElasticIP(ctx, elasticIP())
	w.wantAction(action, err, state.Created)
	zone, action, err := preview.EnsureZone(ctx, "example.com")
	w.wantAction(action, err, state.Created)
	if id != "" || ip.ID != "" || ip.Address != "" || zone.ID != "" || len(zone.NameServers) > 0 {
		w.t.Errorf("group %q, address %+v, zone %+v", id, ip, zone)
	}
	action, err = preview.EnsureRecord(ctx, zone.ID, a("api", ip.Address, 60))
	w.wantAction(action, err, state.Created)
	action, err = preview.DeleteRecords(ctx, zone.ID, "api", "A", anyContent)
	w.wantAction(action, err, state.Found)
	action, err = preview.EnsureAttached(ctx, ip.ID, "")
	w.wantAction(action, err, state.Created)
	action, err = preview.DeleteInstance(ctx, "")
	w.wantAction(action, err, state.Found)
	var kept state.APIKey
	action, err = preview.EnsureAPIKey(ctx, state.APIKey{Name: "csi"}, func(made state.APIKey) error {
		kept = made
		return nil
	})
	w.wantAction(action, err, state.Created)
	template, err := preview.RegisterTemplate(ctx, state.Template{Name: "rhcos-1", URL: "https://images.example/1"})
	w.check(err)
	if kept.Name+template.ID != "" {
		w.t.Errorf("key %q, template %+v", kept.Name, template)
	}
}

func TestPreview_ReportsMachinesAtOnce(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		preview := w.previewed()
		wanted := w.machines(ctx, 4)
		_, err := w.ensureAll(ctx, wanted[:2])
		w.check(err)
		wanted[1].Protected = true
		began := time.Now()
		w.unchanged(func() {
			roll, err := preview.ensureAll(ctx, wanted)
			w.check(err)
			want := map[string]state.Action{
				"worker-0": state.Found, "worker-1": state.Updated, "worker-2": state.Created, "worker-3": state.Created,
			}
			if diff := cmp.Diff(want, roll.actions); diff != "" {
				w.t.Error(diff)
			}
			if roll.made["worker-0"].Address == "" || roll.made["worker-2"].ID != "" {
				w.t.Errorf("%+v", roll.made)
			}
		})
		if took := time.Since(began); took > 0 {
			w.t.Errorf("took %s", took)
		}
		unknown := w.machine(ctx, "lb-9")
		unknown.Type = "standard.enormous"
		_, _, err = preview.EnsureInstance(ctx, unknown)
		w.wantFault(err, fault.Invalid, "standard.enormous")
	})
}

func TestPreview_UpdatesAndDeletions(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		preview := w.previewed()
		zone, _, err := w.EnsureZone(ctx, "example.com")
		w.check(err)
		w.ensureRecord(ctx, zone.ID, a("api", "192.0.2.7", 60), state.Created)
		_, _, err = w.EnsureSecurityGroup(ctx, group("nodes"))
		w.check(err)
		ip, _, err := w.EnsureElasticIP(ctx, elasticIP())
		w.check(err)
		machine, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.check(err)
		w.unchanged(func() {
			_, action, err := preview.EnsureSecurityGroup(ctx, group("nodes", state.Rule{Protocol: "tcp", From: 1, To: 1, Group: "absent"}))
			w.wantAction(action, err, state.Updated)
			other := elasticIP()
			other.ReverseDNS = "other.example.com"
			_, action, err = preview.EnsureElasticIP(ctx, other)
			w.wantAction(action, err, state.Updated)
			action, err = preview.EnsureRecord(ctx, zone.ID, a("api", "192.0.2.7", 90))
			w.wantAction(action, err, state.Updated)
			action, err = preview.DeleteRecords(ctx, zone.ID, "api", "A", anyContent)
			w.wantAction(action, err, state.Deleted)
			action, err = preview.EnsureAttached(ctx, ip.ID, machine.ID)
			w.wantAction(action, err, state.Created)
			action, err = preview.DeleteInstance(ctx, machine.ID)
			w.wantAction(action, err, state.Deleted)
		})
	})
}

func TestPreview_DoesNotAdopt(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureAntiAffinityGroup(ctx, "masters", "")
		w.check(err)
		w.check(w.journal.RecordIntent("anti-affinity-group", "masters"))
		before := len(w.journal.entries)
		_, action, err := w.WithPreview().EnsureAntiAffinityGroup(ctx, "masters", "")
		w.wantAction(action, err, state.Found)
		if len(w.journal.entries) != before {
			w.t.Error("the journal was written to")
		}
	})
}
