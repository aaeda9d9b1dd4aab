package destroy_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"exoshift/internal/fault"
	"exoshift/provisioner/destroy"
	"exoshift/state"
)

// proofOf returns an object's proof in an inventory, or "kept: " with the reason.
func proofOf(inventory destroy.Inventory, id string) string {
	for _, f := range inventory.Objects {
		if f.ID == id {
			return f.Proof
		}
	}
	for _, k := range inventory.Kept {
		if k.ID == id {
			return "kept: " + k.Why
		}
	}
	return "not listed"
}

func (s *scene) exists(id string) bool {
	s.t.Helper()
	return slices.ContainsFunc(s.all(), func(name string) bool { return strings.HasSuffix(name, " "+id) })
}

// Whoever may write a Service can annotate it with any ID, and the cloud controller manager then gives its name to that
// load balancer and points it to the cluster's pool. Whoever may write a PersistentVolume can have any volume attached.
func TestTeardown_KeepsForgedTargets(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		ours := map[string]string{"exoshift-cluster": "c-demo-1"}
		machine := s.machine(state.Instance{Name: "worker-0", Labels: ours})
		theirs := s.machine(state.Instance{Name: "shop"})
		pool := s.pool("workers", ours, machine)

		aimed := map[string]string{}
		service := func(name string) state.Claim {
			return state.Claim{Kind: state.KindLoadBalancer, By: "service evil/" + name, Name: "k8s-" + uuid.NewString()}
		}
		plain := service("plain")
		plain.ID = s.balancer("shop", "")
		aimed[plain.ID] = "claims it, but its name would be k8s-"
		renamed := service("renamed")
		renamed.ID = s.balancer("shop", pool)
		s.must(s.net.Clock.Sleep(t.Context(), time.Hour)) // before the Service is written
		s.raw(http.MethodPut, "/load-balancer/"+renamed.ID, body{"name": renamed.Name})
		aimed[renamed.ID] = "claims it, but it is older"
		plain.Since, renamed.Since = time.Now(), time.Now()

		volume := func(what, instance string) state.Claim {
			claim := state.Claim{Kind: state.KindVolume, By: "persistent volume " + what, ID: s.volume("pvc-"+uuid.NewString(), instance)}
			return claim
		}
		free := volume("free", "") // of another cluster; nothing here has the UID in its name
		aimed[free.ID] = "the object it belongs to does not exist"
		attached := volume("attached", machine.ID)
		attached.Name, attached.Since = "pvc-"+uuid.NewString(), time.Now()
		aimed[attached.ID] = "claims it, but its name would be pvc-"
		used := volume("used", theirs.ID)
		aimed[used.ID] = "the object it belongs to does not exist"
		unclaimed := s.volume("by-hand", machine.ID)
		aimed[unclaimed] = "the cluster does not claim it"

		s.told = []state.Claim{plain, renamed, free, attached, used}
		genuine := []string{s.balancerFor("web", pool), s.volumeFor("data", machine.ID)}

		inventory, err := s.run(t.Context(), destroy.Options{})
		s.must(err)
		for id, why := range aimed {
			if got := proofOf(inventory, id); !strings.HasPrefix(got, "kept: not proven: ") || !strings.Contains(got, why) {
				t.Errorf("%s: %s, want a reason with %q", id, got, why)
			}
			if !s.exists(id) {
				t.Errorf("%s was deleted", id)
			}
		}
		for _, id := range genuine {
			if got := proofOf(inventory, id); got != destroy.ByBothSides || s.exists(id) {
				t.Errorf("%s of the cluster's controllers: %s, still there: %v", id, got, s.exists(id))
			}
		}
		if s.exists(pool) {
			t.Error("a load balancer that is kept holds the cluster's pool")
		}
	})
}

func TestTeardown_KeepsUnplannedNames(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		groups := s.groups("c-demo-1_team-blue", "c-demo-1_infra")
		inventory, err := s.run(t.Context(), destroy.Options{})
		s.must(err)
		if got := proofOf(inventory, groups[0]); !strings.Contains(got, "kept: not proven: its name has the prefix of this cluster") || !s.exists(groups[0]) {
			t.Errorf("c-demo-1_team-blue: %s", got)
		}
		if got := proofOf(inventory, groups[1]); got != destroy.ByName || s.exists(groups[1]) {
			t.Errorf("c-demo-1_infra: %s", got)
		}
	})
}

// records returns the names of the records that a zone has.
func (s *scene) records(zone string) (names []string) {
	s.t.Helper()
	records, err := s.ListRecords(s.t.Context(), state.Object{ID: zone})
	s.must(err)
	for _, r := range records {
		names = append(names, r.Name)
	}
	slices.Sort(names)
	return names
}

func TestTeardown_KeepsZoneWithForeignRecords(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		zone, _, err := s.EnsureZone(t.Context(), "c-demo-1.example.net")
		s.must(err)
		for _, r := range []state.Record{
			{Name: "api", Type: "A", Content: "192.0.2.1", TTL: 60}, {Name: "*.apps", Type: "CNAME", Content: "ingress.c-demo-1.example.net", TTL: 60},
			{Name: "shop", Type: "A", Content: "192.0.2.9", TTL: 60}, {Name: "", Type: "MX", Content: "mail.example.net", TTL: 60},
			{Name: "alias", Type: "ALIAS", Content: "example.net", TTL: 60},
		} {
			_, err := s.EnsureRecord(t.Context(), zone.ID, r)
			s.must(err)
		}
		inventory, err := s.run(t.Context(), destroy.Options{})
		s.must(err)
		if got := proofOf(inventory, zone.ID); !strings.Contains(got, "3 records that no installation created; --include-foreign-records") || !s.exists(zone.ID) {
			t.Errorf("the zone: %s", got)
		}
		var listed []string
		for _, k := range inventory.Kept {
			if k.Kind == state.KindRecord && k.Why == "not proven: not created by an installation" {
				listed = append(listed, k.Name)
			}
		}
		slices.Sort(listed)
		if want := []string{"@ MX mail.example.net", "alias ALIAS example.net", "shop A 192.0.2.9"}; !slices.Equal(want, listed) {
			t.Errorf("listed %q, want %q", listed, want)
		}
		// Names of the cluster must not point to addresses that are reassigned to others.
		if left := s.records(zone.ID); !slices.Equal(left, listed) {
			t.Errorf("the zone has %q", left)
		}
		inventory, err = s.run(t.Context(), destroy.Options{IncludeForeignRecords: true})
		s.must(err)
		if got := proofOf(inventory, zone.ID); got != destroy.ByName || s.exists(zone.ID) || len(inventory.Notes) < 3 {
			t.Errorf("with --include-foreign-records: %s, notes %q", got, inventory.Notes)
		}
	})
}

func TestTeardown_KeepsBucketsOfAnotherCluster(t *testing.T) {
	onScene(t, func(t *testing.T, s *scene) {
		delta := spec()
		delta.Cluster.ID, delta.ObjectStorage.BucketPrefix = "c-delta", "c-alpha"
		s.bucketOf("c-alpha", "c-alpha-logstore")
		s.bucketOf("c-delta", "c-alpha-image-registry")
		s.bucket("c-alpha-bootstrap") // an earlier version set no mark
		teardown := s.teardownOf(delta, destroy.Options{})
		inventory, err := teardown.TakeInventory(t.Context())
		s.must(err)
		for bucket, want := range map[string]string{
			"c-alpha-logstore":       "kept: not proven: it is marked as owned by cluster c-alpha",
			"c-alpha-image-registry": destroy.ByOwnerMark,
			"c-alpha-bootstrap":      destroy.ByName,
		} {
			if got := proofOf(inventory, bucket); got != want {
				t.Errorf("%s: %s, want %s", bucket, got, want)
			}
		}
		// A deletion is refused if the mark was set after the listing.
		_, err = s.storage.WithOwner("c-delta").DeleteBucket(t.Context(), "c-alpha-logstore")
		if !fault.Is(err, fault.Conflict) || !s.exists("c-alpha-logstore") {
			t.Errorf("deleting it ends with %v", err)
		}
	})
}
