package exoscale_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
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

func TestASecurityGroupGetsTheRulesThatItMisses(t *testing.T) {
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

func TestARuleThatVanishedIsMissing(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted := group("nodes", tcp(22623, "0.0.0.0/0"), tcp(6443, "0.0.0.0/0"))
		_, _, err := w.EnsureSecurityGroup(ctx, wanted)
		w.check(err)
		if n := w.api.RemoveRules("nodes", 22623); n != 1 {
			w.t.Fatalf("removed %d rules", n)
		}
		missing, err := w.ListMissingRules(ctx, wanted)
		w.check(err)
		if diff := cmp.Diff(wanted.Rules[:1], missing); diff != "" {
			w.t.Error(diff)
		}
	})
}

func TestARuleThatIsWantedTwiceIsAddedOnce(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes", tcp(22, "0.0.0.0/0"), tcp(22, "0.0.0.0/0")))
		w.check(err)
		if n := w.count("POST"); n != 2 {
			w.t.Errorf("%d creates instead of a group and a rule", n)
		}
	})
}

func TestTwoStepsMayAddRulesToAGroupAtTheSameTime(t *testing.T) {
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

func TestRulesThatCannotBeAreRefused(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes", tcp(22, "everywhere")))
		w.wantFault(err, fault.Invalid, "tcp 22-22 from everywhere")
		_, _, err = w.EnsureSecurityGroup(ctx, group("nodes", state.Rule{Protocol: "tcp", From: 1, To: 1, Group: "nobody"}))
		w.wantFault(err, fault.NotFound, "nobody", "create that group first")
	})
}
