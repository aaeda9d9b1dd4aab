package destroy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// cluster is one object of each kind, most of them with dependencies.
func cluster() []state.Object {
	ours := label("c-demo-1")
	return []state.Object{
		{Kind: state.KindSSHKey, Name: "c-demo-1-admin", ID: "c-demo-1-admin"},
		{Kind: state.KindRole, Name: "c-demo-1_csi-driver-exoscale", ID: "role"},
		{Kind: state.KindAPIKey, Name: "c-demo-1_csi-driver-exoscale", ID: "EXOkey", Uses: []string{"role"}},
		{Kind: state.KindSecurityGroup, Name: "c-demo-1_infra", ID: "group-a"},
		{Kind: state.KindSecurityGroup, Name: "c-demo-1_worker", ID: "group-b"},
		{Kind: state.KindElasticIP, Name: "c-demo-1_api", ID: "ip", Labels: ours},
		{Kind: state.KindTemplate, Name: "rhcos-1", ID: "template"},
		{Kind: state.KindInstance, Name: "master-0", ID: "machine", Labels: ours, Uses: []string{"template"}},
		{Kind: state.KindInstancePool, Name: "workers", ID: "pool", Labels: ours, Uses: []string{"template"}},
		{Kind: state.KindLoadBalancer, Name: "k8s-u1", ID: "balancer", Uses: []string{"pool"}, Created: born.Add(time.Hour)},
		{Kind: state.KindVolume, Name: "pvc-u1", ID: "volume", Uses: []string{"machine"}, Created: born.Add(time.Hour)},
		{Kind: state.KindVolumeSnapshot, Name: "snap", ID: "snapshot", Uses: []string{"volume"}},
		{Kind: state.KindBucket, Name: "c-demo-1-logstore", ID: "c-demo-1-logstore"},
		{Kind: state.KindBucket, Name: "c-demo-1-cluster-backup", ID: "c-demo-1-cluster-backup"},
	}
}

func claims() []state.Claim {
	return []state.Claim{claim(state.KindLoadBalancer, "balancer", "k8s-"), claim(state.KindVolume, "volume", "pvc-")}
}

func options() Options {
	return Options{Names: install.ListNames(spec()), Journal: []state.Entry{{Kind: state.KindTemplate, Name: "rhcos-1", ID: "template", Action: state.Created}}}
}

func destroyed(t *testing.T, z *zone, o Options) (Inventory, error) {
	t.Helper()
	return torn(t, z.world(), o)
}

// torn is destroyed, with clients beyond the zone.
func torn(t *testing.T, world Clients, o Options) (Inventory, error) {
	t.Helper()
	teardown := New(spec(), world, o)
	inventory, err := teardown.TakeInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan := teardown.Plan(inventory)
	if err := plan.Validate(); err != nil {
		t.Fatal(err)
	}
	failure := provisioner.Run(t.Context(), plan, func(provisioner.Event) {})
	last, err := teardown.TakeInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return last, failure
}

func TestDestroy_OrderKeepsBackups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{told: claims(), objects: append(cluster(), state.Object{Kind: state.KindInstance, Name: "foreign", ID: "foreign"})}
		last, err := destroyed(t, z, options())
		if err != nil || len(last.Objects) != 0 {
			t.Fatalf("%v, left %v", err, last.Objects)
		}
		if len(z.objects) != 2 || len(last.Kept) != 1 || !strings.Contains(last.Kept[0].Why, "--delete-backups") {
			t.Errorf("what stays: %v, kept %v", z.objects, last.Kept)
		}
		if !slices.Contains(z.cleared, "group-a") || !slices.Contains(z.cleared, "group-b") {
			t.Errorf("rules were cleared of %v", z.cleared)
		}
		for _, pair := range [][2]string{
			{"load-balancer balancer", "instance-pool pool"}, {"instance-pool pool", "instance machine"}, {"instance machine", "block-volume volume"},
			{"block-snapshot snapshot", "block-volume volume"}, {"instance machine", "elastic-ip ip"}, {"instance machine", "security-group group-a"},
			{"instance machine", "template template"}, {"instance machine", "api-key EXOkey"}, {"api-key EXOkey", "iam-role role"},
			{"bucket c-demo-1-logstore", "api-key EXOkey"}, {"instance machine", "ssh-key c-demo-1-admin"},
		} {
			if first, second := slices.Index(z.deleted, pair[0]), slices.Index(z.deleted, pair[1]); first < 0 || second < first {
				t.Errorf("%s does not go before %s: %v", pair[0], pair[1], z.deleted)
			}
		}
		if z.asked != 1 {
			t.Errorf("the cluster was asked %d times", z.asked)
		}
	})
}

func TestDestroy_DeletesBackupsOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{told: claims(), objects: cluster()}
		o := options()
		o.DeleteBackups = true
		if last, err := destroyed(t, z, o); err != nil || len(z.objects)+len(last.Kept) != 0 {
			t.Errorf("%v, left %v", err, z.objects)
		}
	})
}

func TestDestroy_KeepsSharedTemplate(t *testing.T) {
	for kind, uses := range map[string]string{state.KindInstance: "worker-9", state.KindInstancePool: "pool-9"} {
		z := &zone{told: claims(), objects: append(cluster(), state.Object{Kind: kind, Name: uses, ID: "x", Uses: []string{"template"}, Labels: label("c-other")})}
		inventory, err := New(spec(), z.world(), options()).TakeInventory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(inventory.Kept, func(k Kept) bool { return k.ID == "template" && strings.Contains(k.Why, uses) }) {
			t.Errorf("kept %v", inventory.Kept)
		}
	}
}

func TestTeardown_ListsUnprovenTemplate(t *testing.T) {
	z := &zone{told: claims(), objects: cluster()}
	inventory, err := New(spec(), z.world(), Options{Names: install.ListNames(spec())}).TakeInventory(t.Context())
	listed := slices.ContainsFunc(inventory.Kept, func(k Kept) bool {
		return k.ID == "template" && k.Proof == "" && strings.HasPrefix(k.Why, "not proven: no journal")
	})
	if err != nil || !listed {
		t.Errorf("%v, kept %v", err, inventory.Kept)
	}
	if slices.ContainsFunc(inventory.Objects, func(f Found) bool { return f.Kind == state.KindTemplate }) {
		t.Error("it is to be deleted")
	}
}

func TestDestroy_KeepsOwnKey(t *testing.T) {
	o := options()
	o.OwnKey = "EXOkey"
	z := &zone{told: claims(), objects: cluster()}
	inventory, err := New(spec(), z.world(), o).TakeInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, k := range inventory.Kept {
		kept = append(kept, k.ID)
	}
	if diff := cmp.Diff([]string{"role", "EXOkey", "c-demo-1-cluster-backup"}, kept); diff != "" {
		t.Error(diff)
	}
}

func TestDestroy_ReportsUndeletable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusal := fault.Newf(fault.Conflict, "delete elastic IP", "it is in use").WithHint("detach it")
		z := &zone{told: claims(), objects: cluster(), refused: map[string]error{"machine": errors.New("it is locked"), "ip": refusal}}
		_, err := destroyed(t, z, options())
		var left *LeftoverError
		if !errors.As(err, &left) || len(left.Left) != 2 {
			t.Fatalf("ended with %v", err)
		}
		for _, words := range []string{"instance master-0 (machine): it is locked", "elastic IP c-demo-1_api (ip): delete elastic IP: it is in use"} {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%q does not say %q", err, words)
			}
		}
		if hint := fault.HintOf(err); !strings.Contains(hint, "detach it") || !strings.Contains(hint, "again") {
			t.Errorf("the hint is %q", hint)
		}
		if len(z.objects) != 3 { // with the backups
			t.Errorf("left are %v", z.objects)
		}
	})
}

func TestDestroy_VolumeOutlivesMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{told: claims(), objects: cluster(), refused: map[string]error{"volume": errors.New("it is busy")}}
		z.after = func(id string) {
			if id == "machine" {
				z.objects[slices.IndexFunc(z.objects, func(o state.Object) bool { return o.ID == "volume" })].Uses = nil
			}
		}
		_, err := destroyed(t, z, options())
		var left *LeftoverError
		if !errors.As(err, &left) || len(left.Left) != 1 || left.Left[0].ID != "volume" {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestDestroy_RetriesHeldObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{told: claims(), objects: cluster(), refused: map[string]error{"ip": errors.New("busy")}}
		z.after = func(id string) {
			if id == "c-demo-1-admin" { // the last one of the first pass
				delete(z.refused, "ip")
			}
		}
		if last, err := destroyed(t, z, options()); err != nil || len(last.Objects) > 0 {
			t.Errorf("%v, left %v", err, last.Objects)
		}
	})
}

// Claims, and objects attached to machines, cannot be found any more once these are deleted.
func TestDestroy_ResumesFromState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		detached := state.Object{Kind: state.KindVolume, Name: "pvc-u1", ID: "detached", Created: born.Add(time.Hour)}
		z := &zone{objects: append(cluster(), detached), told: append(claims(), claim(state.KindVolume, "detached", "pvc-"))}
		ctx, cancel := context.WithCancel(t.Context())
		z.after = func(id string) {
			if id == "machine" {
				z.objects[slices.IndexFunc(z.objects, func(o state.Object) bool { return o.ID == "volume" })].Uses = nil
				cancel()
			}
		}
		teardown := New(spec(), z.world(), options())
		inventory, err := teardown.TakeInventory(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := provisioner.Run(ctx, teardown.Plan(inventory), func(provisioner.Event) {}); !errors.Is(err, context.Canceled) {
			t.Fatalf("ended with %v", err)
		}
		z.after, z.told, z.silent = nil, nil, errors.New("no route to host")
		o := options()
		o.Remembered = inventory.Objects
		if last, err := destroyed(t, z, o); err != nil || len(last.Objects) > 0 || len(z.objects) != 1 {
			t.Errorf("%v, left %v", err, z.objects)
		}
	})
}

func TestInventory_SkipsUnlabelled(t *testing.T) {
	z := &zone{objects: []state.Object{{Kind: state.KindInstance, Name: "rescued", ID: "i1"}}}
	o := Options{Remembered: []Found{{Object: state.Object{Kind: state.KindInstance, ID: "i1"}, Proof: ByLabel}}}
	if inventory, err := New(spec(), z.world(), o).TakeInventory(t.Context()); err != nil || len(inventory.Objects) > 0 {
		t.Errorf("%v, found %v", err, inventory.Objects)
	}
}

func TestDestroy_UnreachableClusterIsNote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := &zone{told: claims(), objects: cluster(), silent: fault.New(fault.Transient, "no route to host", nil)}
		began := time.Now()
		inventory, err := New(spec(), z.world(), options()).TakeInventory(t.Context())
		if err != nil || len(inventory.Notes) != 1 || !strings.Contains(inventory.Notes[0], "no route to host") {
			t.Errorf("%v, notes %q", err, inventory.Notes)
		}
		if took := time.Since(began); z.asked < 2 || took != clusterLimit {
			t.Errorf("it was asked %d times within %s", z.asked, took)
		}
	})
}

func TestDestroy_NoMachinesNoClusterRequest(t *testing.T) {
	z := &zone{told: claims(), objects: cluster()[:3]}
	inventory, err := New(spec(), z.world(), options()).TakeInventory(t.Context())
	if err != nil || z.asked > 0 || len(inventory.Notes) != 1 || !strings.Contains(inventory.Notes[0], "no machines") {
		t.Errorf("%v, asked %d times, notes %q", err, z.asked, inventory.Notes)
	}
}

func TestInventory_RefusesGaps(t *testing.T) {
	z := &zone{told: claims(), objects: cluster(), denied: fault.New(fault.Denied, "list the IAM roles", nil)}
	if _, err := New(spec(), z.world(), options()).TakeInventory(t.Context()); !fault.Is(err, fault.Denied) {
		t.Errorf("ended with %v", err)
	}
}

func TestSavings_CountsUnpriced(t *testing.T) {
	z := &zone{told: claims(), objects: cluster()}
	inventory, err := New(spec(), z.world(), options()).TakeInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	perHour, unknown := inventory.HourlyCost(func(o state.Object) (float64, bool) { return 0.5, o.Kind != state.KindBucket })
	if want := 0.5 * float64(len(inventory.Objects)-1); perHour != want || unknown != 1 {
		t.Errorf("%g an hour and %d unknown", perHour, unknown)
	}
}
