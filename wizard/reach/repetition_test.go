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

// busy answers the check "A", and others only when they are probed again.
type busy struct {
	failure reach.Finding
	answers bool // the first
	lasting bool // it never answers
}

func (b busy) Probe(_ context.Context, check reach.Check) reach.Finding {
	if check.ID == "A" && b.answers {
		return b.Repeat(context.Background(), check)
	}
	return b.failure
}

func (b busy) Repeat(_ context.Context, check reach.Check) reach.Finding {
	if b.lasting && check.ID != "A" {
		return b.failure
	}
	return reach.Finding{Layers: reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerOK}, Evidence: b.failure.Evidence}
}

func TestRun_RepeatsWhatAnsweredOthers(t *testing.T) {
	proxy := reach.Finding{
		Class: reach.ProxySilent, Layers: reach.Layers{TCP: reach.LayerFail}, Evidence: map[string]string{reach.EvidenceProxy: "proxy.corp:3128"},
	}
	resolver := reach.Finding{
		Class: reach.DNSTimeout, Layers: reach.Layers{DNS: reach.LayerFail}, Evidence: map[string]string{reach.EvidenceResolver: "192.0.2.53"},
	}
	for name, test := range map[string]struct {
		prober busy
		want   string
	}{
		"a proxy":                 {busy{failure: proxy, answers: true}, "A ok, B warn, C warn"},
		"a proxy, one host never": {busy{failure: proxy, answers: true, lasting: true}, "A ok, B fail, C fail"},
		"a proxy that is silent":  {busy{failure: proxy}, "A fail, B fail, C fail"},
		"a name server":           {busy{failure: resolver, answers: true}, "A ok, B warn, C warn"},
		"a name server, one name": {busy{failure: resolver, answers: true, lasting: true}, "A ok, B fail, C fail"},
		"a silent name server":    {busy{failure: resolver}, "A fail, B fail, C fail"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, reach.Run(t.Context(), taskOf("A", "B", "C"), test.prober, nil), test.want)
		})
	}
}
