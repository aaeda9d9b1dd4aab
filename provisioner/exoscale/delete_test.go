package exoscale_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func TestDelete_EveryKindIdempotent(t *testing.T) {
	for name, ensure := range map[string]string{
		"nodes": state.KindSecurityGroup, "masters": state.KindAntiAffinityGroup,
		cluster + "-api": state.KindElasticIP, "example.com": state.KindZone, "lb-0": state.KindInstance,
	} {
		t.Run(ensure, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				_, err := ensures(ctx, w)[ensure]()
				w.check(err)
				w.deletesTwice(ctx, w.the(ctx, ensure, name))
			})
		})
	}
	t.Run(state.KindSSHKey, func(t *testing.T) {
		inWorld(t, func(ctx context.Context, w *world) {
			w.registerKey(ctx)
			w.deletesTwice(ctx, w.the(ctx, state.KindSSHKey, "operator"))
		})
	})
	for kind, path := range map[string]string{
		state.KindPrivateNetwork: "/private-network", state.KindRole: "/iam-role",
	} {
		t.Run(kind, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				id := w.raw(ctx, http.MethodPost, path, map[string]any{"name": "one"})
				o := w.the(ctx, kind, "one")
				if o.ID != id {
					t.Errorf("%+v has not the ID %s", o, id)
				}
				w.deletesTwice(ctx, o)
			})
		})
	}
}

func (w *world) deletesTwice(ctx context.Context, o state.Object) {
	w.t.Helper()
	action, err := w.Delete(ctx, o)
	w.wantAction(action, err, state.Deleted)
	if last := w.journal.entries[len(w.journal.entries)-1]; last != "deleted "+o.Kind+" "+o.Name {
		w.t.Errorf("the journal ends with %q", last)
	}
	w.unchanged(func() {
		action, err := w.Delete(ctx, o)
		w.wantAction(action, err, state.Found)
	})
	left, err := w.ListObjects(ctx)
	w.check(err)
	for _, one := range left {
		if one.Kind == o.Kind && one.ID == o.ID {
			w.t.Errorf("still there: %+v", one)
		}
	}
}

func TestDelete_SurvivesLostAnswers(t *testing.T) {
	for name, accidents := range map[string][]site.Fault{
		"answer of the deletion lost": {{Match: "DELETE /v2/elastic-ip/", ServeFirst: true}},
		"burst of 503":                {{Match: "DELETE /v2/elastic-ip/", Respond: matchPattern(503, `{"message":"no"}`)}, {Match: "DELETE /v2/elastic-ip/", Respond: matchPattern(429, `{"message":"slow"}`)}},
		"answer of the detach lost":   {{Match: "PUT /v2/elastic-ip/", ServeFirst: true}},
		"detach not answered":         {{Match: "PUT /v2/elastic-ip/"}},
		"busy":                        {{Match: "GET /v2/operation/", Respond: matchPattern(200, `{"id":"1","state":"failure","reason":"busy","message":"later"}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.attached(ctx)
				w.InjectFaults(accidents...)
				w.deletesTwice(ctx, w.the(ctx, state.KindElasticIP, elasticIP().Name))
			})
		})
	}
}

func (w *world) attached(ctx context.Context) (ip state.ElasticIP, machine state.Instance) {
	w.t.Helper()
	ip, _, err := w.EnsureElasticIP(ctx, elasticIP())
	w.check(err)
	machine, _, err = w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
	w.check(err)
	_, err = w.EnsureAttached(ctx, ip.ID, machine.ID)
	w.check(err)
	return ip, machine
}

func TestDelete_UnprotectsInstance(t *testing.T) {
	for name, labels := range map[string]map[string]string{
		"as its label says":      {"exoshift-protected": "true"},
		"as the refusal says it": {},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				wanted := w.machine(ctx, "master-0")
				wanted.Labels = labels
				made, _, err := w.EnsureInstance(ctx, wanted)
				w.check(err)
				w.raw(ctx, http.MethodPut, "/instance/"+made.ID+":add-protection", nil)
				w.raw(ctx, http.MethodPost, "/reverse-dns/instance/"+made.ID, map[string]any{"domain-name": "master-0.example.com"})
				w.deletesTwice(ctx, w.the(ctx, state.KindInstance, "master-0"))
			})
		})
	}
}

func TestDelete_MutualSecurityGroups(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.mutualGroups(ctx)
		before := w.count("DELETE /v2/security-group/")
		w.deletesTwice(ctx, w.the(ctx, state.KindSecurityGroup, "masters"))
		if rules := w.count("DELETE /v2/security-group/") - before - 1; rules != 3 {
			t.Errorf("%d rules were deleted, want the two of masters and the one about masters", rules)
		}
		w.deletesTwice(ctx, w.the(ctx, state.KindSecurityGroup, "workers"))
	})
}

func (w *world) mutualGroups(ctx context.Context) {
	w.t.Helper()
	_, _, err := w.EnsureSecurityGroup(ctx, group("masters"))
	w.check(err)
	ssh := state.Rule{Protocol: "tcp", From: 22, To: 22, CIDR: "0.0.0.0/0"}
	_, _, err = w.EnsureSecurityGroup(ctx, group("workers", ssh, state.Rule{Protocol: "tcp", From: 1, To: 2, Group: "masters"}))
	w.check(err)
	_, _, err = w.EnsureSecurityGroup(ctx, group("masters", ssh, state.Rule{Protocol: "udp", From: 1, To: 2, Group: "workers"}))
	w.check(err)
}

func TestClearRules_RemovesReferringRules(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.mutualGroups(ctx)
		masters := w.the(ctx, state.KindSecurityGroup, "masters")
		action, err := w.ClearRules(ctx, masters)
		w.wantAction(action, err, state.Deleted)
		w.unchanged(func() {
			action, err := w.ClearRules(ctx, masters)
			w.wantAction(action, err, state.Found)
		})
		missing, err := w.ListMissingRules(ctx, group("workers", state.Rule{Protocol: "tcp", From: 22, To: 22, CIDR: "0.0.0.0/0"}))
		w.check(err)
		if len(missing) > 0 {
			t.Errorf("a rule went that has nothing to do with the group: %+v", missing)
		}
	})
}

func TestDelete_WaitsForObjectInUse(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		id, _, err := w.EnsureSecurityGroup(ctx, group("nodes"))
		w.check(err)
		wanted := w.machine(ctx, "lb-0")
		wanted.SecurityGroups = []string{id}
		made, _, err := w.EnsureInstance(ctx, wanted)
		w.check(err)
		nodes := w.the(ctx, state.KindSecurityGroup, "nodes")
		began := time.Now()
		_, err = w.Delete(ctx, nodes)
		w.wantFault(err, fault.Conflict, "delete security-group nodes", "in use by instance lb-0", "delete what uses it")
		if took := time.Since(began); took < 5*time.Minute || took > 6*time.Minute {
			t.Errorf("gave up after %s", took)
		}
		time.AfterFunc(time.Minute, func() { _, _ = w.DeleteInstance(ctx, made.ID) })
		w.deletesTwice(ctx, nodes)
	})
}

func TestDelete_DetachesPrivateNetwork(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		made, _, err := w.EnsureInstance(ctx, w.machine(ctx, "lb-0"))
		w.check(err)
		network := w.raw(ctx, http.MethodPost, "/private-network", map[string]any{"name": "inside"})
		w.raw(ctx, http.MethodPut, "/private-network/"+network+":attach", map[string]any{"instance": map[string]string{"id": made.ID}})
		w.deletesTwice(ctx, w.the(ctx, state.KindPrivateNetwork, "inside"))
	})
}

func TestDelete_RefusesUndeletableKind(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		for _, o := range []state.Object{{Kind: state.KindBucket, Name: "b", ID: "b"}, {Kind: state.KindInstance, Name: "lb-0"}} {
			_, err := w.Delete(ctx, o)
			w.wantFault(err, fault.Internal, o.Name)
		}
		if len(w.Requests()) > 0 {
			t.Errorf("asked %v", w.Requests())
		}
	})
}
