package network_test

import (
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
)

func TestFollower_StaysWithTheOtherClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const speed = 600
		start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
		clock, follower, stop := network.NewFollower(speed, start)
		defer stop()
		time.Sleep(time.Minute) // the other clock stands still
		if got := clock.Now().Sub(start); got != network.FollowInterval(speed) {
			t.Errorf("the clock went on by %s", got)
		}
		woken := make(chan error, 1)
		go func() { woken <- clock.Sleep(t.Context(), 10*time.Minute) }()
		synctest.Wait()
		follower.SetTime(start.Add(12 * time.Minute))
		time.Sleep(time.Second)
		if len(woken) != 1 {
			t.Error("who is due is not woken when the other clock is there")
		}
		at := clock.Now()
		follower.SetTime(start) // late
		if got := clock.Now(); got.Before(at) {
			t.Errorf("the clock went back by %s", at.Sub(got))
		}
	})
}

func TestFollower_ContinuesWithoutLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock, follower, stop := network.NewFollower(60, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
		defer stop()
		follower.Release()
		if err := clock.Sleep(t.Context(), time.Hour); err != nil {
			t.Error(err)
		}
	})
}
