package clusterevents_test

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/clusterevents"
	"exoshift/state"
)

// readyMaster is a cluster with one node, which is ready.
type readyMaster struct{}

func (readyMaster) Poll(context.Context, netip.Addr, []state.ExpectedNode) (state.Snapshot, error) {
	return state.Snapshot{Nodes: []state.NodeStatus{{Name: "master-0", Ready: true}}}, nil
}

func TestMonitor_CorrectsWhatAStepEmittedOfANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		monitor := clusterevents.NewMonitor(readyMaster{}, network.Clock{})
		var states []string
		emit := func(e provisioner.Event) {
			monitor.Observe(e)
			states = append(states, e.State)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			monitor.Run(ctx, emit)
		}()
		synctest.Wait()
		emit(provisioner.Event{Type: provisioner.TypeNode, Name: "master-0", State: provisioner.NodeBooting})
		stop()
		<-ended
		monitor.Finish(t.Context(), emit)
		monitor.Finish(t.Context(), emit)
		if want := []string{provisioner.NodeReady, provisioner.NodeBooting, provisioner.NodeReady}; !slices.Equal(states, want) {
			t.Errorf("the node was %v, want %v", states, want)
		}
	})
}

// lostCluster answers once.
type lostCluster struct{ lost bool }

func (c *lostCluster) Poll(ctx context.Context, _ netip.Addr, _ []state.ExpectedNode) (state.Snapshot, error) {
	if c.lost {
		<-ctx.Done()
		return state.Snapshot{}, ctx.Err()
	}
	c.lost = true
	return state.Snapshot{}, nil
}

func TestMonitor_EndsSoonWithoutAnAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		monitor := clusterevents.NewMonitor(&lostCluster{}, network.Clock{})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		monitor.Run(ctx, func(provisioner.Event) {})
		begun := time.Now()
		monitor.Finish(t.Context(), func(provisioner.Event) {})
		if took := time.Since(begun); took == 0 || took > 10*time.Second {
			t.Errorf("it waited for %s", took)
		}
	})
}
