package exoscale_test

import (
	"context"
	"testing"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestListObjectsByKind_ListsOneKind(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		id, _, err := w.EnsureSecurityGroup(ctx, state.SecurityGroup{Name: "mine"})
		w.check(err)
		groups, err := w.ListObjectsByKind(ctx, state.KindSecurityGroup)
		w.check(err)
		found := map[string]string{}
		for _, group := range groups {
			found[group.Name] = group.ID
		}
		if found["mine"] != id || w.count("GET /v2/template") > 0 {
			t.Errorf("%v, asked %v", groups, w.Requests())
		}
		_, err = w.ListObjectsByKind(ctx, "cat")
		w.wantFault(err, fault.Internal, "cat")
	})
}
