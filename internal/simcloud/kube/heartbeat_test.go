package kube

import (
	"testing"
	"time"

	"exoshift/internal/simcloud/store"
)

func TestObjects_ChangesDoNotCountHeartbeats(t *testing.T) {
	objects, err := Load(store.NewMemory(), "objects", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	must := func(_ Object, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ready := func(status, heartbeat string) Object {
		return Object{"type": "Ready", "status": status, "lastHeartbeatTime": heartbeat}
	}
	must(objects.Create("nodes", "", Object{"metadata": Object{"name": "n"}, "status": Object{"conditions": []Object{ready("True", "1")}}}))
	must(objects.Create("leases.coordination.k8s.io", "kube-system", Object{"metadata": Object{"name": "l"}, "spec": Object{"holderIdentity": "a"}}))
	for name, test := range map[string]struct {
		resource, namespace, object string
		change                      func(Object)
		counts                      bool
	}{
		"heartbeat":        {"nodes", "", "n", func(o Object) { o.Set("status.conditions", []Object{ready("True", "2")}) }, false},
		"not ready":        {"nodes", "", "n", func(o Object) { o.Set("status.conditions", []Object{ready("Unknown", "2")}) }, true},
		"second condition": {"nodes", "", "n", func(o Object) { o.Set("status.conditions", []Object{ready("True", "1"), {"type": "DiskPressure"}}) }, true},
		"label":            {"nodes", "", "n", func(o Object) { o.Set("metadata.labels", Object{"a": "b"}) }, true},
		"address":          {"nodes", "", "n", func(o Object) { o.Set("status.addresses", []Object{{"address": "192.0.2.1"}}) }, true},
		"renewal":          {"leases.coordination.k8s.io", "kube-system", "l", func(o Object) { o.Set("spec.renewTime", "2030-01-01T00:00:00Z") }, false},
		"another holder":   {"leases.coordination.k8s.io", "kube-system", "l", func(o Object) { o.Set("spec.holderIdentity", "b") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			old, _ := objects.Get(test.resource, test.namespace, test.object)
			before := objects.ChangeCount()
			must(objects.Update(test.resource, test.namespace, test.object, func(o Object) error { test.change(o); return nil }))
			if counted := objects.ChangeCount() > before; counted != test.counts {
				t.Errorf("counted as a change: %t, want %t", counted, test.counts)
			}
			must(objects.Update(test.resource, test.namespace, test.object, func(o Object) error {
				clear(o)
				for k, v := range old {
					o[k] = v
				}
				return nil
			}))
		})
	}
	before := objects.ChangeCount()
	must(objects.Delete("nodes", "", "n"))
	if objects.ChangeCount() == before {
		t.Error("that a node is deleted is no change")
	}
}
