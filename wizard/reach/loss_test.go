package reach_test

import (
	"context"
	"sync"
	"testing"

	"exoshift/wizard/reach"
)

// lossy is a network by which each check fails a number of times.
type lossy struct {
	first    map[string]reach.Finding // the failure of a check
	failures map[string]int           // how often it fails
	measured string                   // what is measured

	mu    sync.Mutex
	tried map[string]int
}

func (l *lossy) Probe(_ context.Context, check reach.Check) reach.Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tried[check.ID]++
	if l.tried[check.ID] <= l.failures[check.ID] {
		return l.first[check.ID]
	}
	return reach.Finding{Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerOK}}
}

func (l *lossy) Repeat(ctx context.Context, check reach.Check) reach.Finding {
	return l.Probe(ctx, check)
}

func (l *lossy) MeasureLoss(context.Context, []string) string { return l.measured }

func TestRun_Loss(t *testing.T) {
	const never = 100
	half := reach.Finding{Class: reach.TLSTimeout, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerFail}}
	for name, test := range map[string]struct {
		measured string
		failures map[string]int
		want     map[string]reach.Class
	}{
		"loss": {"3 of 9", map[string]int{"A": 1, "B": 2, "C": never, "D": 1, "E": never}, map[string]reach.Class{
			"A": reach.Loss, "B": reach.Loss, "C": reach.TCPTimeout, "D": reach.Loss, "E": reach.Loss}},
		"no loss": {"", map[string]int{"A": 1, "B": 2, "C": never, "E": never}, map[string]reach.Class{
			"A": reach.TCPTimeout, "B": reach.TCPTimeout, "C": reach.TCPTimeout, "E": reach.TLSTimeout}},
		"one failure": {"3 of 9", map[string]int{"A": 1}, map[string]reach.Class{"A": reach.Loss}},
	} {
		t.Run(name, func(t *testing.T) {
			first := map[string]reach.Finding{"A": dropped, "B": dropped, "C": dropped, "D": half, "E": half}
			network := &lossy{first: first, failures: test.failures, measured: test.measured, tried: map[string]int{}}
			counts := map[string]int{}
			report := reach.Run(t.Context(), taskOf("A", "B", "C", "D", "E", "F"), network, func(r reach.Result) { counts[r.ID]++ })
			for _, r := range report.Results {
				if r.Class != test.want[r.ID] || counts[r.ID] != 1 {
					t.Errorf("%s is %q, want %q; told %d times", r.ID, r.Class, test.want[r.ID], counts[r.ID])
				}
				if reached := test.failures[r.ID] < never; r.Class == reach.Loss && (r.Verdict == reach.Warn) != reached {
					t.Errorf("%s: %s", r.ID, r.Verdict)
				}
			}
		})
	}
}
