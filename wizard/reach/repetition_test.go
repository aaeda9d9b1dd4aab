package reach_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/wizard/reach"
)

var (
	silent = reach.Finding{Class: reach.TLSTimeout, Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerFail}}
	large  = reach.Finding{Class: reach.MTU, Layers: silent.Layers}
)

// link is a network on which handshakes time out if more than some are made at the same time.
type link struct {
	capacity     int64
	alone        reach.Finding // of a repetition that fails
	busy, probed atomic.Int64
}

func (l *link) Probe(ctx context.Context, _ reach.Check) reach.Finding { return l.probe(ctx, silent) }

func (l *link) Repeat(ctx context.Context, _ reach.Check) reach.Finding { return l.probe(ctx, l.alone) }

func (l *link) probe(ctx context.Context, failure reach.Finding) reach.Finding {
	defer l.busy.Add(-1)
	l.probed.Add(1)
	l.busy.Add(1)
	time.Sleep(time.Millisecond) // until all others have begun
	if l.busy.Load() > l.capacity {
		return after(5*time.Second, failure)(ctx)
	}
	return after(500*time.Millisecond, reach.Finding{Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK, TLS: reach.LayerOK}})(ctx)
}

func TestRun_RepeatsHandshakesThatTimedOut(t *testing.T) {
	for name, test := range map[string]struct {
		link  *link
		class reach.Class
		most  time.Duration
	}{
		"slow link, one at a time":  {&link{capacity: 1, alone: silent}, reach.Unstable, 60 * time.Second},
		"slow link, four at a time": {&link{capacity: 4, alone: silent}, reach.Unstable, 60 * time.Second},
		"no answer at all":          {&link{alone: silent}, reach.TLSTimeout, 25 * time.Second},
		"large packets are lost":    {&link{alone: large}, reach.MTU, 25 * time.Second},
		"good":                      {&link{capacity: 100}, "", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var task reach.Task
				for i := range 24 {
					task.Checks = append(task.Checks, reach.Check{ID: fmt.Sprintf("A%d", i), URL: "https://example.net", Severity: reach.Must})
				}
				counts, began := map[string]int{}, time.Now()
				report := reach.Run(t.Context(), task, test.link, func(r reach.Result) { counts[r.ID]++ })
				for _, r := range report.Results {
					if r.Class != test.class || counts[r.ID] != 1 {
						t.Errorf("%s is %q, want %q; told %d times", r.ID, r.Class, test.class, counts[r.ID])
					}
				}
				if took := time.Since(began); took > test.most {
					t.Errorf("it took %s, with %d probes", took, test.link.probed.Load())
				}
			})
		})
	}
}

func TestRun_RepetitionEndsWithRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		report := reach.Run(ctx, taskOf("A", "B", "C"), &link{alone: silent}, nil)
		expect(t, report, "A fail, B fail, C fail")
	})
}
