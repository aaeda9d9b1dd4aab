package exoscale_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func tcp(port int, cidr string) state.Rule {
	return state.Rule{Protocol: "tcp", From: port, To: port, CIDR: cidr, Description: "of a test"}
}

func rules() []state.Rule {
	return []state.Rule{
		tcp(6443, "0.0.0.0/0"),
		tcp(22, "10.1.2.3/8"), // the API returns the masked prefix
		{Protocol: "udp", From: 4789, To: 6081, Group: "nodes"},
		{Protocol: "tcp", From: 22623, To: 22623, Group: "balancers"},
		{Protocol: "icmp", ICMPType: 8, CIDR: "0.0.0.0/0"},
	}
}

func TestEnsureSecurityGroup_AddsMissingRules(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("balancers"))
		w.check(err)
		wanted := group("nodes", rules()...)
		missing, err := w.ListMissingRules(ctx, wanted)
		w.check(err)
		if diff := cmp.Diff(wanted.Rules, missing); diff != "" {
			w.t.Error("without a group all rules are missing", diff)
		}
		id, action, err := w.EnsureSecurityGroup(ctx, group("nodes", rules()[:2]...))
		w.wantAction(action, err, state.Created)
		missing, err = w.ListMissingRules(ctx, wanted)
		w.check(err)
		if diff := cmp.Diff(rules()[2:], missing); diff != "" {
			w.t.Error(diff)
		}
		again, action, err := w.EnsureSecurityGroup(ctx, wanted)
		w.wantAction(action, err, state.Updated)
		if again != id {
			w.t.Errorf("id %s, then %s", id, again)
		}
		w.unchanged(func() {
			missing, err := w.ListMissingRules(ctx, wanted)
			w.check(err)
			if len(missing) > 0 {
				w.t.Errorf("missing %+v", missing)
			}
			_, action, err := w.EnsureSecurityGroup(ctx, wanted)
			w.wantAction(action, err, state.Found)
		})
	})
}

// Each operation takes three to eight seconds; the rules of a group are added while others are.
func TestEnsureSecurityGroup_AddsRulesInParallel(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes"))
		w.check(err)
		wanted := group("nodes")
		for port := range 15 {
			wanted.Rules = append(wanted.Rules, tcp(9000+port, "0.0.0.0/0"))
		}
		began := time.Now()
		_, action, err := w.EnsureSecurityGroup(ctx, wanted)
		w.wantAction(action, err, state.Updated)
		if took := time.Since(began); took > 12*time.Second {
			t.Errorf("15 rules took %s", took)
		}
		if reads := w.count("GET /v2/security-group/"); reads > 2 {
			t.Errorf("the group was read %d times", reads)
		}
	})
}

func TestEnsureSecurityGroup_RetriesBusyGroup(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes"))
		w.check(err)
		busy := func(answer http.ResponseWriter, _ *http.Request) {
			matchPattern(200, `{"id":"op-7","state":"pending","reference":{"id":"1"}}`)(answer, nil)
		}
		failed := `{"id":"op-7","state":"failure","reason":"busy","message":"another rule is being added"}`
		w.InjectFaults(site.Fault{Match: "POST /v2/security-group/", Respond: busy}, site.Fault{Match: "GET /v2/operation/op-7", Respond: matchPattern(200, failed)})
		_, _, err = w.EnsureSecurityGroup(ctx, group("nodes", rules()[:2]...))
		w.check(err)
		missing, err := w.ListMissingRules(ctx, group("nodes", rules()[:2]...))
		w.check(err)
		if len(missing) > 0 || len(w.journal.open) > 0 {
			t.Errorf("missing %v, open in the journal: %v", missing, w.journal.open)
		}
	})
}

func TestEnsureSecurityGroup_RestoresVanishedRule(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := group("nodes", tcp(22623, "0.0.0.0/0"), tcp(6443, "0.0.0.0/0"))
		_, _, err := w.EnsureSecurityGroup(ctx, wanted)
		w.check(err)
		if n := w.api.Operator().RemoveRules("nodes", 22623); n != 1 {
			w.t.Fatalf("removed %d rules", n)
		}
		missing, err := w.ListMissingRules(ctx, wanted)
		w.check(err)
		if diff := cmp.Diff(wanted.Rules[:1], missing); diff != "" {
			w.t.Error(diff)
		}
	})
}

func TestEnsureSecurityGroup_IgnoresDuplicateRules(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes", tcp(22, "0.0.0.0/0"), tcp(22, "0.0.0.0/0")))
		w.check(err)
		if n := w.count("POST"); n != 2 {
			w.t.Errorf("%d creates instead of a group and a rule", n)
		}
	})
}

func TestEnsureSecurityGroup_ConcurrentSteps(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes"))
		w.check(err)
		var steps sync.WaitGroup
		for range 3 {
			steps.Go(func() {
				_, _, err := w.EnsureSecurityGroup(ctx, group("nodes", tcp(22, "0.0.0.0/0"), tcp(6443, "0.0.0.0/0")))
				if err != nil {
					w.t.Error(err)
				}
			})
		}
		steps.Wait()
		if n := w.count("POST"); n != 3 {
			w.t.Errorf("%d creates instead of a group and two rules", n)
		}
	})
}

func TestEnsureSecurityGroup_RefusesInvalidRules(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes", tcp(22, "everywhere")))
		w.wantFault(err, fault.Invalid, "tcp 22-22 from everywhere")
		_, _, err = w.EnsureSecurityGroup(ctx, group("nodes", state.Rule{Protocol: "tcp", From: 1, To: 1, Group: "nobody"}))
		w.wantFault(err, fault.NotFound, "nobody", "create that group first")
	})
}
