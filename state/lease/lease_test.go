package lease_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/state/lease"
	"exoshift/state/lease/leasetest"
	"exoshift/state/store"
)

// storage is a directory that can be cut off, as a network can.
type storage struct {
	store.Directory
	cut     atomic.Bool
	delayed atomic.Int64 // nanoseconds before a write
}

func (s *storage) Get(ctx context.Context, key string) (store.Object, error) {
	if s.cut.Load() {
		return store.Object{}, fault.Newf(fault.Transient, "get", "the network is down")
	}
	return s.Directory.Get(ctx, key)
}

func (s *storage) Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	if s.cut.Load() {
		return "", fault.Newf(fault.Transient, "put", "the network is down")
	}
	time.Sleep(time.Duration(s.delayed.Load()))
	return s.Directory.Put(ctx, key, content, replaced)
}

func inBubble(t *testing.T, test func(t *testing.T, first, second *storage)) {
	t.Helper()
	directory, err := store.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { test(t, &storage{Directory: directory}, &storage{Directory: directory}) })
}

func acquire(t *testing.T, s lease.Store, run string) (*lease.Lease, error) {
	t.Helper()
	return lease.Acquire(t.Context(), s, "c-demo-1", lease.Holder{Run: run, User: "anna", Host: run, Verb: "install"}, func(lease.Holder) {})
}

func mustAcquire(t *testing.T, s lease.Store, run string) *lease.Lease {
	t.Helper()
	l, err := acquire(t, s, run)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustRelease(t *testing.T, l *lease.Lease) {
	t.Helper()
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAcquire_RefusesWhileAnotherRenews(t *testing.T) {
	inBubble(t, func(t *testing.T, first, second *storage) {
		held := mustAcquire(t, first, "run-1")
		defer mustRelease(t, held)
		time.Sleep(10 * time.Minute)
		began := time.Now()
		_, err := acquire(t, second, "run-2")
		var refused *lease.HeldError
		if !errors.As(err, &refused) || refused.Holder.Run != "run-1" {
			t.Fatalf("error %v, want one that names run-1", err)
		}
		if waited := time.Since(began); waited > lease.Interval+5*time.Second {
			t.Errorf("it waited %s for a lease that is renewed every %s", waited, lease.Interval)
		}
		if err := held.Check(); err != nil {
			t.Error(err)
		}
	})
}

func TestAcquire_AtOnceAfterRelease(t *testing.T) {
	inBubble(t, func(t *testing.T, first, second *storage) {
		held := mustAcquire(t, first, "run-1")
		epoch := held.Epoch()
		mustRelease(t, held)
		began := time.Now()
		next := mustAcquire(t, second, "run-2")
		defer mustRelease(t, next)
		if time.Since(began) > 0 || next.Epoch() != epoch+1 {
			t.Errorf("it took %s and has epoch %d after %d", time.Since(began), next.Epoch(), epoch)
		}
	})
}

// TestAcquire_TakesOverFromLostMachine: the machine that loses its network has stopped long before it is followed.
func TestAcquire_TakesOverFromLostMachine(t *testing.T) {
	inBubble(t, func(t *testing.T, first, second *storage) {
		held := mustAcquire(t, first, "run-1")
		time.Sleep(time.Minute + time.Second) // the last renewal was a second ago
		first.cut.Store(true)
		cut := time.Now()
		noticed := make(chan time.Time, 1)
		go func() { <-held.Lost(); noticed <- time.Now() }()
		next := mustAcquire(t, second, "run-2")
		defer mustRelease(t, next)
		var lost *lease.LostError
		if err := held.Check(); !errors.As(err, &lost) {
			t.Fatalf("check: %v, want that it was lost", err)
		}
		if stopped := <-noticed; stopped.Sub(cut) > lease.Stop {
			t.Errorf("it stopped %s after the cut, want %s at most", stopped.Sub(cut), lease.Stop)
		}
		if taken := time.Since(cut); taken < lease.Lifetime {
			t.Errorf("it was taken over after %s, before the lifetime of %s", taken, lease.Lifetime)
		}
		if next.Epoch() != 2 {
			t.Errorf("epoch %d, want 2", next.Epoch())
		}
		first.cut.Store(false)
		mustRelease(t, held)
		if err := next.Check(); err != nil {
			t.Errorf("the release of the lost lease harmed the next: %v", err)
		}
	})
}

func TestLease_LostAtOnceWhenTakenOver(t *testing.T) {
	inBubble(t, func(t *testing.T, first, second *storage) {
		held := mustAcquire(t, first, "run-1")
		if _, err := lease.Unlock(t.Context(), second, "c-demo-1", "run-1"); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		<-held.Lost()
		if time.Since(began) > lease.Interval {
			t.Errorf("noticed after %s", time.Since(began))
		}
		mustRelease(t, held)
	})
}

func TestLease_SurvivesShortOutage(t *testing.T) {
	inBubble(t, func(t *testing.T, first, _ *storage) {
		held := mustAcquire(t, first, "run-1")
		defer mustRelease(t, held)
		first.cut.Store(true)
		time.Sleep(lease.Stop - 10*time.Second)
		first.cut.Store(false)
		time.Sleep(lease.Lifetime)
		if err := held.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TestLease_CountsFromStartOfRenewal: an answer that takes long does not make a lease younger.
func TestLease_CountsFromStartOfRenewal(t *testing.T) {
	inBubble(t, func(t *testing.T, first, _ *storage) {
		held := mustAcquire(t, first, "run-1")
		defer mustRelease(t, held)
		first.delayed.Store(int64(35 * time.Second))
		time.Sleep(lease.Interval + 36*time.Second) // renewed, from 35 seconds ago
		first.cut.Store(true)
		time.Sleep(lease.Stop - 36*time.Second)
		if held.Check() == nil {
			t.Error("the lease is held a whole while after the end of the last renewal")
		}
		first.cut.Store(false)
	})
}

func TestDirectory_HoldsLocks(t *testing.T) {
	directory, err := store.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	leasetest.Run(t, directory)
	synctest.Test(t, func(t *testing.T) { leasetest.RunTimed(t, directory) })
}

func TestUnlock_RefusesAnotherRun(t *testing.T) {
	inBubble(t, func(t *testing.T, first, _ *storage) {
		if _, err := lease.Unlock(t.Context(), first, "c-demo-1", "run-1"); !fault.Is(err, fault.NotFound) {
			t.Errorf("unlocked what was free: %v", err)
		}
		held := mustAcquire(t, first, "run-1")
		defer mustRelease(t, held)
		if _, err := lease.Unlock(t.Context(), first, "c-demo-1", "run-2"); !fault.Is(err, fault.Conflict) || fault.HintOf(err) == "" {
			t.Errorf("error %v, want a conflict with a hint", err)
		}
	})
}
