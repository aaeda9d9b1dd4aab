package network_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
)

func TestScaledClock_RunsFaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		clock, stop := network.NewScaledClock(60, start)
		defer stop()
		began := time.Now()
		if err := clock.Sleep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took.Round(time.Second) < time.Minute || took > 30*time.Minute { // other tests run meanwhile
			t.Errorf("an hour took %s", took)
		}
		if got := clock.Now().Sub(start); got.Round(time.Second) != time.Hour {
			t.Errorf("the clock went on by %s", got)
		}
	})
}

func TestClock_ZeroIsWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock network.Clock
		if !clock.Now().Equal(time.Now()) || clock.ToWall(time.Second) != time.Second {
			t.Error("the zero clock differs from the wall")
		}
	})
}

func TestClock_SleepEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the operator left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		if err := (network.Clock{}).Sleep(ctx, time.Hour); !errors.Is(err, cause) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestClock_PollEnds(t *testing.T) {
	failure, cause := errors.New("refused"), errors.New("stopped")
	for name, test := range map[string]struct {
		check    func(calls int) (bool, error)
		calls    int
		lasted   time.Duration
		wantDone bool
		want     error
	}{
		"done":      {func(calls int) (bool, error) { return calls == 3, nil }, 3, 20 * time.Second, true, nil},
		"failed":    {func(int) (bool, error) { return false, failure }, 1, 0, false, failure},
		"limit":     {func(int) (bool, error) { return false, nil }, 7, time.Minute, false, nil},
		"cancelled": {func(int) (bool, error) { return false, nil }, 2, 15 * time.Second, false, cause},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				if errors.Is(test.want, cause) {
					time.AfterFunc(15*time.Second, func() { cancel(cause) })
				}
				calls, began := 0, time.Now()
				done, err := network.Clock{}.Poll(ctx, 10*time.Second, time.Minute, func() (bool, error) {
					calls++
					return test.check(calls)
				})
				cancel(nil)
				if lasted := time.Since(began); done != test.wantDone || !errors.Is(err, test.want) || calls != test.calls || lasted != test.lasted {
					t.Errorf("got done %t, %v after %d calls and %s; want %t, %v after %d and %s",
						done, err, calls, lasted, test.wantDone, test.want, test.calls, test.lasted)
				}
			})
		})
	}
}
