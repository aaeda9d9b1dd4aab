package exoscale_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func (w *world) byCluster(ctx context.Context) map[string]string {
	w.t.Helper()
	machine, _, err := w.EnsureInstance(ctx, w.machine(ctx, "worker-0"))
	w.check(err)
	groupID, _, err := w.EnsureSecurityGroup(ctx, group("workers"))
	w.check(err)
	ids := map[string]string{state.KindInstance: machine.ID, state.KindSecurityGroup: groupID}
	var live map[string]any
	w.ask(ctx, http.MethodGet, "/instance/"+machine.ID, nil, &live)
	pool := w.raw(ctx, http.MethodPost, "/instance-pool", map[string]any{
		"name": "workers", "size": 1, "disk-size": 20, "instance-prefix": "worker", "security-groups": []any{ref(groupID)},
		"instance-type": live["instance-type"], "template": live["template"],
	})
	ids[state.KindInstancePool] = pool
	balancer := w.raw(ctx, http.MethodPost, "/load-balancer", map[string]any{"name": "k8s-router", "labels": map[string]string{"made-by": "ccm"}})
	ids[state.KindLoadBalancer] = balancer
	w.raw(ctx, http.MethodPost, "/load-balancer/"+balancer+"/service", map[string]any{
		"name": "http", "instance-pool": ref(pool), "protocol": "tcp", "strategy": "round-robin", "port": 80, "target-port": 80,
		"healthcheck": map[string]any{"mode": "tcp", "port": 80, "interval": 10, "timeout": 2, "retries": 1},
	})
	volume := w.raw(ctx, http.MethodPost, "/block-storage", map[string]any{"name": "pvc-1", "size": 10})
	ids[state.KindVolume] = volume
	w.raw(ctx, http.MethodPut, "/block-storage/"+volume+":attach", map[string]any{"instance": ref(machine.ID)})
	w.raw(ctx, http.MethodPost, "/block-storage/"+volume+":create-snapshot", map[string]any{"name": "pvc-1-copy"})
	w.raw(ctx, http.MethodPost, "/instance/"+machine.ID+":create-snapshot", nil)
	role := w.raw(ctx, http.MethodPost, "/iam-role", map[string]any{"name": "csi"})
	ids[state.KindRole] = role
	ids[state.KindAPIKey] = w.raw(ctx, http.MethodPost, "/api-key", map[string]any{"name": "csi", "role-id": role})
	return ids
}

func ref(id string) map[string]string { return map[string]string{"id": id} }

func TestListObjects_KindAndPurpose(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		ids := w.byCluster(ctx)
		all, err := w.ListObjects(ctx)
		w.check(err)
		found := map[string]state.Object{}
		for _, o := range all {
			if o.Kind == state.KindInstance && o.Name != "worker-0" {
				o.Kind = "member"
			}
			found[o.Kind] = o
		}
		template := w.machine(ctx, "any").TemplateID
		for kind, want := range map[string]state.Object{
			state.KindInstance:       {Name: "worker-0", Uses: []string{template}, Detail: "standard.medium " + " running"},
			"member":                 {Uses: []string{ids[state.KindInstancePool], template}},
			state.KindInstancePool:   {Name: "workers", Uses: []string{ids[state.KindSecurityGroup], template}, Detail: "1 x standard.medium"},
			state.KindLoadBalancer:   {Name: "k8s-router", Uses: []string{ids[state.KindInstancePool]}, Labels: map[string]string{"made-by": "ccm"}},
			state.KindVolume:         {Name: "pvc-1", Uses: []string{ids[state.KindInstance]}, Detail: "10 GiB attached"},
			state.KindVolumeSnapshot: {Name: "pvc-1-copy", Uses: []string{ids[state.KindVolume]}},
			state.KindSnapshot:       {Uses: []string{ids[state.KindInstance]}},
			state.KindAPIKey:         {Name: "csi", ID: ids[state.KindAPIKey], Uses: []string{ids[state.KindRole]}},
			state.KindRole:           {Name: "csi", ID: ids[state.KindRole]},
		} {
			w.wantObject(found[kind], want)
		}
	})
}

func (w *world) wantObject(got, want state.Object) {
	w.t.Helper()
	if want.Name != "" && got.Name != want.Name || want.ID != "" && got.ID != want.ID {
		w.t.Errorf("%+v is not %+v", got, want)
	}
	ids := cmp.Options{cmpopts.EquateEmpty(), cmpopts.SortSlices(strings.Compare)}
	if diff := cmp.Diff(want.Uses, got.Uses, ids); diff != "" {
		w.t.Errorf("%s %s: %s", got.Kind, got.Name, diff)
	}
	for _, word := range strings.Fields(want.Detail) {
		if !strings.Contains(got.Detail, word) {
			w.t.Errorf("%s %s: detail %q, want %q", got.Kind, got.Name, got.Detail, want.Detail)
		}
	}
	for key, label := range want.Labels {
		if got.Labels[key] != label {
			w.t.Errorf("%s %s: labels %v", got.Kind, got.Name, got.Labels)
		}
	}
}

func TestListObjects_ClusterCreatedObjects(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.byCluster(ctx)
		all, err := w.ListObjects(ctx)
		w.check(err)
		balancer := w.the(ctx, state.KindLoadBalancer, "k8s-router")
		w.deletesTwice(ctx, w.the(ctx, state.KindInstancePool, "workers"))
		if freed := w.the(ctx, state.KindLoadBalancer, "k8s-router"); len(freed.Uses) > 0 {
			t.Errorf("%s still targets %v", freed.Name, freed.Uses)
		}
		w.deletesTwice(ctx, balancer)
		for _, kind := range []string{
			state.KindSnapshot, state.KindVolumeSnapshot, state.KindVolume, state.KindInstance, state.KindAPIKey, state.KindRole,
		} {
			for _, o := range all {
				if o.Kind == kind && (kind != state.KindInstance || o.Name == "worker-0") {
					w.deletesTwice(ctx, o)
				}
			}
		}
	})
}

func TestDeleteInstance_KeepsVolumes(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.byCluster(ctx)
		w.deletesTwice(ctx, w.the(ctx, state.KindInstance, "worker-0"))
		if volume := w.the(ctx, state.KindVolume, "pvc-1"); len(volume.Uses) > 0 || !strings.Contains(volume.Detail, "detached") {
			t.Errorf("%+v", volume)
		}
	})
}

func TestDeleteVolume_DetachedMeanwhile(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.byCluster(ctx)
		volume := w.the(ctx, state.KindVolume, "pvc-1")
		_, err := w.Delete(ctx, w.the(ctx, state.KindVolumeSnapshot, "pvc-1-copy"))
		w.check(err)
		w.InjectFaults(site.Fault{Match: "PUT /v2/block-storage/", Respond: matchPattern(400, `{"message":"Volume not attached"}`)})
		w.deletesTwice(ctx, volume)
	})
}

func TestListObjects_NamesForbiddenKinds(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.registerKey(ctx)
		denied := matchPattern(403, `{"message":"Forbidden by role policy"}`)
		w.InjectFaults(site.Fault{Match: "GET /v2/load-balancer", Respond: denied},
			site.Fault{Match: "GET /v2/api-key", Respond: denied})
		all, err := w.ListObjects(ctx)
		w.wantFault(err, fault.Denied, "list load-balancers", "list api-keys", "Forbidden by role policy")
		var several interface{ Unwrap() []error }
		if !errors.As(err, &several) || len(several.Unwrap()) != 2 {
			t.Fatalf("%v is not two errors", err)
		}
		for i, permission := range []string{"list-load-balancers", "list-api-keys"} {
			w.wantFault(several.Unwrap()[i], fault.Denied, permission)
		}
		w.wantFault(err, fault.Denied)
		found := false
		for _, o := range all {
			found = found || o.Kind == state.KindSSHKey && o.Name == "operator"
		}
		if !found {
			t.Errorf("the rest is missing: %+v", all)
		}
	})
}

// A teardown compares ages, and distinguishes records from those that every zone has.
func TestObjects_Created(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.check(w.net.Clock.Sleep(ctx, 90*time.Minute))
		began := time.Now().Truncate(time.Second)
		w.byCluster(ctx)
		all, err := w.ListObjects(ctx)
		w.check(err)
		aged := map[string]bool{}
		for _, o := range all {
			if o.Created.IsZero() {
				continue
			}
			aged[o.Kind] = true
			if o.Created.Before(began) || o.Created.After(time.Now()) {
				t.Errorf("%s %s is of %s", o.Kind, o.Name, o.Created)
			}
		}
		for _, kind := range []string{state.KindLoadBalancer, state.KindVolume, state.KindVolumeSnapshot, state.KindInstance} {
			if !aged[kind] {
				t.Errorf("the age of %s is unknown", kind)
			}
		}
	})
}

func TestRecords_OfAZone(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		zone, _, err := w.EnsureZone(ctx, "c-1.example.net")
		w.check(err)
		for _, r := range []state.Record{
			{Name: "api", Type: "A", Content: "192.0.2.1", TTL: 60}, {Name: "", Type: "TXT", Content: "v=spf1 -all", TTL: 60},
			{Name: "shop", Type: "ALIAS", Content: "example.net", TTL: 60}, {Name: "team", Type: "NS", Content: "ns1.example.net", TTL: 60},
		} {
			_, err := w.EnsureRecord(ctx, zone.ID, r)
			w.check(err)
		}
		records, err := w.ListRecords(ctx, state.Object{ID: zone.ID})
		w.check(err)
		var names []string
		for _, r := range records {
			names = append(names, r.Name)
		}
		slices.Sort(names)
		want := []string{"@ TXT v=spf1 -all", "api A 192.0.2.1", "shop ALIAS example.net", "team NS ns1.example.net"}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Error(diff)
		}
		w.deletesTwice(ctx, records[slices.IndexFunc(records, func(o state.Object) bool { return o.Name == "api A 192.0.2.1" })])
		if left, err := w.ListRecords(ctx, state.Object{ID: zone.ID}); err != nil || len(left) != len(want)-1 {
			t.Errorf("%v, %v", left, err)
		}
		if none, err := w.ListRecords(ctx, state.Object{ID: "00000000-0000-4000-8000-000000000000"}); err != nil || len(none) > 0 {
			t.Errorf("of a zone that is gone: %v, %v", none, err)
		}
	})
}

func TestListObjects_EndsWithContext(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		stopped, cancel := context.WithCancelCause(ctx)
		cancel(errors.New("ctrl-c"))
		_, err := w.ListObjects(stopped)
		w.wantFault(err, fault.Cancelled, "ctrl-c")
	})
}
