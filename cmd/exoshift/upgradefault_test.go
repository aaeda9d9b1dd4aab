package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/upgrade"
	"exoshift/state"
)

// faultyUpgrade has a fault at one of the calls of an update that change something.
type faultyUpgrade struct {
	upgrade.Cluster
	by *faultInjector
}

func (c faultyUpgrade) change(call func() (state.Action, error)) (action state.Action, err error) {
	err = c.by.change(func() (err error) {
		action, err = call()
		return err
	})
	return action, err
}

func (c faultyUpgrade) SetChannel(ctx context.Context, channel string) (state.Action, error) {
	return c.change(func() (state.Action, error) { return c.Cluster.SetChannel(ctx, channel) })
}

func (c faultyUpgrade) RequestUpdate(ctx context.Context, version string) (state.Action, error) {
	return c.change(func() (state.Action, error) { return c.Cluster.RequestUpdate(ctx, version) })
}

func (c faultyUpgrade) Acknowledge(ctx context.Context, key string) (state.Action, error) {
	return c.change(func() (state.Action, error) { return c.Cluster.Acknowledge(ctx, key) })
}

func (c faultyUpgrade) SetPaused(ctx context.Context, pool string, paused bool) (state.Action, error) {
	return c.change(func() (state.Action, error) { return c.Cluster.SetPaused(ctx, pool, paused) })
}

// updateCalls are the calls of an update to another minor version by a canary: channel, acknowledgement, pause, request, end of the pause.
const updateCalls = 5

// listFaultyUpdates returns an update for each call that changes something and each kind of fault, by name.
func listFaultyUpdates() map[string]func(*testing.T, run.Run, *simcloud.Zone) {
	updates := map[string]func(*testing.T, run.Run, *simcloud.Zone){}
	for _, how := range []injectedFault{killedBefore, killedAfter, answerLost, refusedBurst} {
		for at := 1; at <= updateCalls; at++ {
			updates[fmt.Sprintf("an update with a fault: %s, call %d", how, at)] = func(t *testing.T, s run.Run, _ *simcloud.Zone) {
				updateWithFault(t, s, &faultInjector{how: how}, at)
			}
		}
	}
	return updates
}

// updateWithFault requires that the same command ends an update that had a fault, with nothing left paused.
func updateWithFault(t *testing.T, s run.Run, by *faultInjector, at int) {
	t.Helper()
	makeCanary(t, s)
	passTime(t, s, 2*time.Minute)
	wanted := requestOf(nextMinor)
	wanted.Channel, wanted.Canary, wanted.Acknowledge = "stable-4.21", "canary", []string{nextGate}
	verb := faultyVerb{
		name: "upgrade",
		run: func(ctx context.Context) (string, error) {
			shown, err := updateCluster(ctx, t, s, wanted, func(clients *upgrade.Clients) { clients.Cluster = faultyUpgrade{clients.Cluster, by} })
			return shown.out.String(), err
		},
		again: func() (string, error) {
			shown, err := updateCluster(t.Context(), t, s, wanted, nil)
			return shown.out.String(), err
		},
		check: func() { checkUpdated(t, s, nextMinor) },
	}
	if calls := verb.runWithFault(t, s, by, at); calls < at {
		t.Errorf("there were only %d calls", calls)
	}
}
