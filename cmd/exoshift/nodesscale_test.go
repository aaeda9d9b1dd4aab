package main

import (
	"fmt"
	"testing"
	"time"

	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// Fifty workers join at once, and of ten that go, no more than three are cordoned at a time.
func TestNodes_ManyAtATime(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{spec: fourWorkers, quotas: map[string]int{"instance": 100}}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		waitForNodes(t, s)
		add := func(count int) time.Duration {
			began := time.Now()
			if names, err := addNodes(t, s, "workers", count, false); err != nil || len(names) != count {
				t.Fatalf("%d workers: %v, %v", count, names, err)
			}
			return time.Since(began)
		}
		one, fifty := add(1), add(50)
		t.Logf("one worker takes %s, fifty %s: %.2f times as long", one, fifty, fifty.Seconds()/one.Seconds())
		if fifty.Seconds() > 1.1*one.Seconds()+10 { // what is polled every ten seconds ends by chance
			t.Error("fifty workers take more than 1.1 times as long as one")
		}
		var leaving []string
		for index := range 10 {
			leaving = append(leaving, fmt.Sprintf("worker-%d", 10+index))
		}
		seen := &cordons{}
		began := time.Now()
		out, err := removeNodes(t, s, appnodes.Removal{Names: leaving, Parallel: 3}, func(clients *nodes.Clients) { seen.Cluster = clients.Cluster; clients.Cluster = seen })
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		t.Logf("ten workers are removed in %s, at most %d cordoned at a time", time.Since(began), seen.most)
		if seen.most != 3 {
			t.Errorf("%d were cordoned at a time", seen.most)
		}
		if count := countMachines(t, s, string(state.RoleWorker)); count != 45 {
			t.Errorf("%d workers are left", count)
		}
	})
}
