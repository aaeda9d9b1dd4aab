package ceph_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes/ceph"
	"exoshift/state"
	"exoshift/state/rook"
)

// silences is a cluster whose alerts are silenced until a time.
type silences struct {
	ceph.Cluster
	mu    sync.Mutex // guards until
	until time.Time
}

func (s *silences) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !time.Now().Before(s.until)
}

func (s *silences) Silence(_ context.Context, _, _, _ string, now time.Time, length time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = now.Add(length)
	return nil
}

func TestWork_KeepsAlertsSilencedWhileAMachineIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := &silences{until: time.Now().Add(time.Hour)}
		facts := state.NewFactsStore(state.Facts{Storage: &rook.Change{Node: "storage-3", Silenced: true}}, func(state.Facts) error { return nil })
		work := ceph.New(cluster, facts, state.NoJournal{}, network.Clock{}, nil)
		steps := work.StepsToAdd(ceph.Change{Node: "storage-3", Devices: 4}, func(context.Context, provisioner.Report) error {
			for range 180 {
				time.Sleep(time.Minute)
				if cluster.isOver() {
					t.Fatal("the silence has ended")
				}
			}
			return nil
		})
		add := steps[slices.IndexFunc(steps, func(s provisioner.Step) bool { return s.ID == "add" })]
		if err := add.Do(t.Context(), func(provisioner.Event) {}); err != nil {
			t.Error(err)
		}
	})
}
