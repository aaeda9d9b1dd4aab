package exoscale_test

import (
	"context"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/api"
	"exoshift/state"
)

// start records what is told of the start of instances.
type start struct {
	accepted int
	creates  int // when it was accepted
	waits    []state.InstanceWait
}

func (w *world) observe(s *start) state.InstanceObserver {
	return state.InstanceObserver{
		Accepted: func() { s.accepted, s.creates = s.accepted+1, w.count("POST /v2/instance") },
		Waiting:  func(wait state.InstanceWait) { s.waits = append(s.waits, wait) },
	}
}

func TestEnsureInstances_ReportsAcceptanceAndWaits(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		wanted, began := w.machines(ctx, 12), time.Now()
		var first, second start
		w.check(w.EnsureInstances(ctx, wanted, w.observe(&first)))
		if first.accepted != 1 || first.creates != 12 {
			w.t.Errorf("accepted %d times, after %d requests", first.accepted, first.creates)
		}
		if len(first.waits) == 0 || len(first.waits[0].Names) == 0 || first.waits[0].Limit != 30*time.Minute || first.waits[0].Since.Before(began) {
			w.t.Errorf("waits: %+v", first.waits)
		}
		w.check(w.EnsureInstances(ctx, wanted, w.observe(&second)))
		if second.accepted != 1 || len(second.waits) > 0 {
			w.t.Errorf("without anything to do: accepted %d times, waits %+v", second.accepted, second.waits)
		}
	})
}

func TestEnsureInstances_RefusalIsNotAccepted(t *testing.T) {
	inWorldOf(t, api.Config{Key: key, Secret: secret, Quotas: map[string]int{"instance": 2}}, func(ctx context.Context, w *world) {
		var refused start
		w.wantFault(w.EnsureInstances(ctx, w.machines(ctx, 3), w.observe(&refused)), fault.Quota, "create instance worker-")
		if refused.accepted > 0 {
			w.t.Error("told that all were accepted")
		}
	})
}
