package reach_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/assets"
	"exoshift/wizard/reach"
)

// latencies are the durations of probes, by the IDs of their checks.
type latencies map[string]time.Duration

func (l latencies) Probe(ctx context.Context, check reach.Check) reach.Finding {
	return after(l[check.ID], reach.Finding{})(ctx)
}

func (l latencies) slowest() (slowest time.Duration) {
	for _, d := range l {
		slowest = max(slowest, d)
	}
	return slowest
}

// wholeCatalogue is a task of the whole catalogue, and of more endpoints of the operator.
func wholeCatalogue(tb testing.TB, more int) reach.Task {
	tb.Helper()
	endpoints, err := assets.ReadEndpoints()
	if err != nil {
		tb.Fatal(err)
	}
	var task reach.Task
	for _, e := range endpoints {
		task.Checks = append(task.Checks, reach.Check{ID: e.ID, Needs: e.Needs})
	}
	for i := range more {
		task.Checks = append(task.Checks, reach.Check{ID: fmt.Sprintf("CUSTOMER-%03d", i)})
	}
	return task
}

// worlds are the latencies of services: on a good day, with some that do not answer, and behind a firewall that drops
// all.
func worlds() map[string]func(i int) time.Duration {
	return map[string]func(int) time.Duration{
		"good day":           func(i int) time.Duration { return time.Duration(40+i*37%400) * time.Millisecond },
		"some do not answer": func(i int) time.Duration { return time.Duration(40+i*37%400+i%7/6*4600) * time.Millisecond },
		"none answers":       func(int) time.Duration { return 5 * time.Second },
	}
}

// shareOfSlowest runs a task in a world and returns how long it took, in its slowest probes.
func shareOfSlowest(ctx context.Context, task reach.Task, world func(int) time.Duration) float64 {
	l := latencies{}
	for i, check := range task.Checks {
		l[check.ID] = world(i)
	}
	started := time.Now()
	reach.Run(ctx, task, l, nil)
	return float64(time.Since(started)) / float64(l.slowest())
}

// The limits: the catalogue and its slowest probe, and twice that with 200 endpoints more.
const (
	mostForCatalogue = 1.2
	mostWithMore     = 2 * mostForCatalogue
)

func TestRun_WholeCatalogueIsParallel(t *testing.T) {
	for name, world := range worlds() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				alone := shareOfSlowest(t.Context(), wholeCatalogue(t, 0), world)
				more := shareOfSlowest(t.Context(), wholeCatalogue(t, 200), world)
				if alone > mostForCatalogue || more > 2*alone {
					t.Errorf("the catalogue takes %.2f of its slowest probe, %.2f with 200 endpoints more", alone, more)
				}
			})
		})
	}
}

// BenchmarkWholeCatalogue measures the same on the wall clock, three times as fast.
func BenchmarkWholeCatalogue(b *testing.B) {
	for name, world := range worlds() {
		for _, more := range []int{0, 200} {
			b.Run(fmt.Sprintf("%s, %d more", name, more), func(b *testing.B) {
				task, worst := wholeCatalogue(b, more), 0.0
				for b.Loop() {
					worst = max(worst, shareOfSlowest(b.Context(), task, func(i int) time.Duration { return world(i) / 3 }))
				}
				b.ReportMetric(worst, "slowest")
				if more == 0 && worst > mostForCatalogue || worst > mostWithMore {
					b.Errorf("%.2f of the slowest probe", worst)
				}
			})
		}
	}
}
