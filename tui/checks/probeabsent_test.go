package checks

import (
	"context"
	"slices"
	"testing"

	"exoshift/wizard/reach"
)

func TestList_CheckOfOtherSource(t *testing.T) {
	g := newFaultyNetwork()
	made := g.Checks
	g.Checks = append(slices.Clone(made), reach.Check{
		ID: "NET-EXO-004", Title: "Instance metadata", Group: "exoscale", URL: "http://169.254.169.254/1.0/user-data", From: []string{"nodes"},
	})
	leaves := map[string]string{reach.Workstation: "NET-EXO-004", reach.Zone: made[0].ID}
	run := g.Run
	g.Run = func(ctx context.Context, vantage string, ids []string, emit func(reach.Result)) error {
		return run(ctx, vantage, ids, func(r reach.Result) {
			if r.ID != leaves[vantage] {
				emit(r)
			}
		})
	}
	i := openScreen(g, 130, 40).Press("/").Type("169.254").Press("enter")
	i.Shows(t, "169.254.169.254 – ○", "NOT FROM HERE", "only checked from the zone").Hides(t, "WAITING")
	i.Press("esc", "z", "y", "a")
	i.Shows(t, "169.254.169.254 – ✓", "api-ch-gva-2.exoscale.com ✓ –")
}
