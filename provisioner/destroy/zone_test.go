package destroy_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/exoscale"
	"exoshift/state"
)

// backups is what a teardown of a cast keeps.
const backups = "bucket c-demo-1-cluster-backup c-demo-1-cluster-backup"

func TestDestroy_RestoresZone(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		s.cast()
		full := s.all()
		inventory, err := s.run(t.Context(), destroy.Options{})
		s.must(err)
		var gone []string
		for _, o := range inventory.Objects {
			gone = append(gone, o.Kind+" "+o.Name+" "+o.ID)
		}
		want := slices.DeleteFunc(full, func(name string) bool { return slices.Contains(gone, name) })
		if diff := cmp.Diff(want, s.all()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
		if !slices.Contains(want, backups) {
			t.Error("the backups are not kept")
		}
		kinds := map[string]bool{}
		for _, o := range inventory.Objects {
			kinds[o.Kind] = true
		}
		if len(kinds) < 14 {
			t.Errorf("only %d kinds were deleted: %v", len(kinds), kinds)
		}
		for _, o := range inventory.Objects {
			if strings.Contains(o.Name, "c-demo-10") || slices.Contains([]string{"shop", "data", "archive", "c-demo-1_team-blue", "c-demo-1-invoices", "default"}, o.Name) {
				t.Errorf("%s is not ours, proven by %s", destroy.Describe(o.Object), o.Proof)
			}
		}
	})
}

func TestInventory_ChangesNothing(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		s.cast()
		s.door.set(func(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }, nil)
		if inventory, err := s.teardown(destroy.Options{}).TakeInventory(t.Context()); err != nil || len(inventory.Objects) < 15 {
			t.Errorf("%v, found %d objects", err, len(inventory.Objects))
		}
	})
}

func TestDestroy_RetriesRefusedDeletion(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		s.cast()
		address := s.named(state.KindElasticIP, "c-demo-1_api")[0].ID
		s.door.set(func(r *http.Request) bool {
			return r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/elastic-ip/"+address)
		}, nil)
		inventory, err := s.run(t.Context(), destroy.Options{})
		var left *destroy.LeftoverError
		if !errors.As(err, &left) || len(left.Left) != 1 || left.Left[0].ID != address || fault.HintOf(err) == "" {
			t.Fatalf("ended with %v", err)
		}
		if !strings.Contains(err.Error(), "Locked by the janitor") {
			t.Errorf("%q does not repeat the server's words", err)
		}
		s.door.set(nil, nil)
		_, err = s.run(t.Context(), destroy.Options{Remembered: inventory.Objects})
		s.must(err)
		if len(s.named(state.KindElasticIP, "c-demo-1_api")) > 0 {
			t.Error("it still exists")
		}
	})
}

// Each run is stopped after a few changes; its inventory is kept in the folder.
func TestDestroy_SurvivesRepeatedStops(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		s.foreign()
		before := s.all()
		s.cluster()
		var remembered []destroy.Found
		for run := 1; ; run++ {
			ctx, stop := context.WithCancel(t.Context())
			var changes atomic.Int64
			s.door.set(nil, func(r *http.Request) {
				if r.Method == http.MethodDelete || r.Method == http.MethodPut {
					if changes.Add(1) == 7 {
						stop()
					}
				}
			})
			inventory, err := s.run(ctx, destroy.Options{Remembered: remembered, DeleteBackups: true})
			stop()
			s.told = nil // the cluster dies with its first machine
			remembered = append(remembered, inventory.Objects...)
			if err == nil {
				t.Logf("%d runs", run)
				break
			}
			if !errors.Is(err, context.Canceled) || run > 50 {
				t.Fatalf("run %d ended with %v", run, err)
			}
		}
		if diff := cmp.Diff(before, s.all()); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

func TestDestroy_RefusedCredentials(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		stranger, err := exoscale.New(s.net, region, key, "another-secret", state.NoJournal{})
		s.must(err)
		defer stranger.Close()
		world := destroy.Clients{Cloud: stranger, Buckets: s.storage, Clock: s.net.Clock}
		_, err = destroy.New(spec(), world, destroy.Options{}).TakeInventory(t.Context())
		if !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" || len(err.Error()) > 400 {
			t.Errorf("ended with %v", err)
		}
	})
}
