package network_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
)

func TestAScaledClockRunsFasterThanTheWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		clock, stop := network.NewScaledClock(60, start)
		defer stop()
		began := time.Now()
		if err := clock.Sleep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took.Round(time.Second) < time.Minute || took > 9*time.Minute { // other tests run meanwhile
			t.Errorf("an hour took %s", took)
		}
		if got := clock.Now().Sub(start); got.Round(time.Second) != time.Hour {
			t.Errorf("the clock went on by %s", got)
		}
	})
}

func TestTheZeroClockIsTheWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock network.Clock
		if !clock.Now().Equal(time.Now()) || clock.ToWall(time.Second) != time.Second {
			t.Error("the zero clock differs from the wall")
		}
	})
}

func TestASleepEndsWithItsContextAndTellsTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the operator left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		if err := (network.Clock{}).Sleep(ctx, time.Hour); !errors.Is(err, cause) {
			t.Errorf("ended with %v", err)
		}
	})
}
