package operators

import (
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
)

// newTestLoop returns the controllers of a cluster without machines; the first tick is done.
func newTestLoop(t *testing.T) *loop {
	t.Helper()
	shared, err := cluster.Load(store.NewMemory(), network.Clock{}, scenario.Cluster{}, "c-demo-x")
	if err != nil {
		t.Fatal(err)
	}
	k := newLoop(shared, nil)
	k.syncAll(t.Context())
	return k
}

func TestControllers_ActOnChange(t *testing.T) {
	for name, change := range map[string]func(*loop) error{
		"object": func(k *loop) error {
			_, err := k.Objects.Create(cluster.ConfigMapResource, "default", kube.Object{"metadata": kube.Object{"name": "m"}})
			return err
		},
		"member of etcd": func(k *loop) error { _, err := k.Members.Add("master-0", "198.18.0.4"); return err },
		"API server":     func(k *loop) error { k.AddServer("198.18.0.4"); return nil },
		"probe":          func(k *loop) error { k.prober.set(func(r *probeResult) { r.apps = "refused" }); return nil },
		"failure":        func(k *loop) error { k.failed = true; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newTestLoop(t)
				if k.isDue() {
					t.Fatal("due although nothing has changed")
				}
				if err := change(k); err != nil {
					t.Fatal(err)
				}
				if !k.isDue() {
					t.Error("not due after a change")
				}
			})
		})
	}
}

func TestControllers_WakeAfterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTestLoop(t)
		if k.hasLasted("settling", "yes", 20*time.Second) {
			t.Error("held at once")
		}
		time.Sleep(19 * time.Second)
		if k.isDue() {
			t.Error("due before the wait is over")
		}
		time.Sleep(time.Second)
		if !k.isDue() || !k.hasLasted("settling", "yes", 20*time.Second) {
			t.Error("not due when the wait is over")
		}
	})
}

func TestControllers_WakeOnSilentNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTestLoop(t)
		nodes := nodeLifecycle{k, map[string]cluster.StateRecord{}}
		time.Sleep(10 * time.Second)
		beat := time.Now().UTC().Format(time.RFC3339)
		time.Sleep(45 * time.Second)
		k.nextSync = time.Now().Add(time.Hour)
		if nodes.isSilent("master-0", beat) {
			t.Error("silent after 45 s")
		}
		time.Sleep(nodeGracePeriod - 46*time.Second)
		if k.isDue() {
			t.Error("due before the node's grace is over")
		}
		time.Sleep(3 * time.Second)
		if !k.isDue() || !nodes.isSilent("master-0", beat) {
			t.Error("a node that has been silent for longer than its grace is not noticed")
		}
	})
}

func TestControllers_GoThroughEverythingEveryMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTestLoop(t)
		time.Sleep(resyncInterval)
		if !k.isDue() {
			t.Error("not due after a minute")
		}
	})
}
