package checks

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"exoshift/tui/tuitest"
	"exoshift/wizard/reach"
)

// fakeNetwork is a fake network behind the screen. It records the requested checks.
type fakeNetwork struct {
	Options
	now     time.Time
	network *tuitest.Network
	calls   []string
	skips   []string
	saved   reach.Report
	err     error // how runs end
}

// newNetwork returns a network where all services pass from the workstation.
func newNetwork(vantages ...string) *fakeNetwork {
	g := &fakeNetwork{now: time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC), network: tuitest.NewNetwork()}
	g.Options = Options{
		Title: "c-demo-1 in ch-gva-2", Checks: tuitest.NewNetwork().Checks, Sources: vantages, Out: io.Discard, NoColor: true, Now: func() time.Time { return g.now },
		Run: g.run,
		Estimate: func(vantage string) string {
			if vantage == reach.Workstation {
				return ""
			}
			return "This starts one small machine in ch-gva-2 for about 3 minutes, which costs less than 0.01, and deletes it again."
		},
		Skip: func(id, reason string, until time.Time) (string, error) {
			g.skips = append(g.skips, id)
			return fmt.Sprintf("checks:\n  skip:\n    %s: %s until %s\n", id, reason, until.Format(time.DateOnly)), nil
		},
		Save: func(r reach.Report) ([]string, error) {
			g.saved = r
			return []string{"/data/you/report.json", "/data/you/firewall.md"}, nil
		},
	}
	return g
}

func (g *fakeNetwork) run(_ context.Context, vantage string, ids []string, emit func(reach.Result)) error {
	g.calls = append(g.calls, fmt.Sprint(vantage, " ", ids))
	for _, check := range g.Checks {
		if ids == nil || slices.Contains(ids, check.ID) {
			emit(g.result(vantage, check))
			g.now = g.now.Add(100 * time.Millisecond)
		}
	}
	return g.err
}

// newFaultyNetwork is a network where all services pass from here but a slow one, and some fail from the zone.
func newFaultyNetwork() *fakeNetwork {
	g := newNetwork(reach.Workstation, reach.Zone).setResult(reach.Workstation, "NET-RH-004", tuitest.Slow())
	return g.setResult(reach.Zone, "NET-RH-002", tuitest.Intercepted()).setResult(reach.Zone, "NET-RH-003", tuitest.Dropped())
}

func (g *fakeNetwork) setResult(vantage, id string, r reach.Result) *fakeNetwork {
	g.network.Disrupt(vantage, id, r)
	return g
}

func (g *fakeNetwork) result(vantage string, check reach.Check) reach.Result {
	return g.network.Result(vantage, check)
}
