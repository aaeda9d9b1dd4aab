package checks

import (
	"context"
	"slices"
	"testing"

	"exoshift/wizard/reach"
)

func TestWhatAVantageLeavesOutDoesNotWaitForIt(t *testing.T) {
	g := troubled()
	made := g.Checks
	g.Checks = append(slices.Clone(made), reach.Check{
		ID: "NET-EXO-004", Title: "Metadata of the machine", Group: "exoscale", URL: "http://169.254.169.254/1.0/user-data", From: []string{"nodes"},
	})
	leaves := map[string]string{reach.Workstation: "NET-EXO-004", reach.Zone: made[0].ID}
	run := g.Run
	g.Run = func(ctx context.Context, vantage string, ids []string, tell func(reach.Result)) error {
		return run(ctx, vantage, ids, func(r reach.Result) {
			if r.ID != leaves[vantage] {
				tell(r)
			}
		})
	}
	i := inspects(g, 130, 40).press("/").types("169.254").press("enter")
	i.shows(t, "169.254.169.254 – ○", "NOT FROM HERE", "only machines in the zone").hides(t, "WAITING")
	i.press("esc", "z", "y", "a")
	i.shows(t, "169.254.169.254 – ✓", "api-ch-gva-2.exoscale.com ✓ –")
}
