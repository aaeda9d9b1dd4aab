package exoscale_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/state"
)

func ofATest(rule state.Rule) bool { return rule.Description == "of a test" }

func TestDeleteRules_UselessOnly(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("balancers"))
		w.check(err)
		wanted := group("nodes", rules()...)
		_, _, err = w.EnsureSecurityGroup(ctx, wanted)
		w.check(err)
		w.unchanged(func() {
			var seen []state.Rule
			action, err := w.DeleteRules(ctx, "nodes", func(rule state.Rule) bool {
				seen = append(seen, rule)
				return false
			})
			w.wantAction(action, err, state.Found)
			currents := rules()
			currents[1].CIDR = "10.0.0.0/8"
			for _, list := range [][]state.Rule{currents, seen} { // rules are added side by side, in any order
				slices.SortFunc(list, func(a, b state.Rule) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			if diff := cmp.Diff(currents, seen); diff != "" {
				t.Error("the rules are told in the words in which they were given", diff)
			}
		})
		action, err := w.DeleteRules(ctx, "nodes", ofATest)
		w.wantAction(action, err, state.Deleted)
		missing, err := w.ListMissingRules(ctx, wanted)
		w.check(err)
		if diff := cmp.Diff(rules()[:2], missing); diff != "" {
			t.Error(diff)
		}
		const gone = "deleted security-group-rule nodes: tcp 22-22 from 10.0.0.0/8"
		if !slices.Contains(w.journal.entries, gone) {
			t.Errorf("the journal holds %q, want %q", w.journal.entries, gone)
		}
	})
}

func TestDeleteRules_PreviewKeepsRules(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, _, err := w.EnsureSecurityGroup(ctx, group("nodes", tcp(22, "192.0.2.7/32")))
		w.check(err)
		preview := w.previewed()
		w.unchanged(func() {
			action, err := preview.DeleteRules(ctx, "nodes", ofATest)
			w.wantAction(action, err, state.Deleted)
		})
	})
}

func TestDeleteRules_MissingGroup(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		action, err := w.DeleteRules(ctx, "nobody", ofATest)
		w.wantAction(action, err, state.Found)
	})
}

func TestDeleteRules_RefusesAmbiguousGroup(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		for range 2 {
			w.raw(ctx, http.MethodPost, "/security-group", map[string]any{"name": "nodes"})
		}
		if _, err := w.DeleteRules(ctx, "nodes", ofATest); !fault.Is(err, fault.Conflict) {
			t.Errorf("error %v, want a conflict", err)
		}
	})
}
