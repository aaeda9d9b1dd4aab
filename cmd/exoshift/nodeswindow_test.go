package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/nodes"
	"exoshift/state"
)

// removalWaits requires that nothing is changed before the window, nor if the wait is ended, and that everything is checked once more
// when it begins: what goes on then is waited for in a maintenance window only.
func removalWaits(t *testing.T, s run.Run, zone *simcloud.Zone) {
	before := zone.Mutations()
	at := func(window appnodes.Window) appnodes.Removal {
		return appnodes.Removal{Names: []string{"worker-1"}, Force: true, DeleteEmptyDir: true, Window: window}
	}
	if _, err := removeNodes(t, s, at(appnodes.Window{At: s.Net.Clock.Now().Add(-time.Second)}), nil); exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "that is over") {
		t.Errorf("in the past: exit code %d, %v", exit.Code(err), err)
	}
	if _, err := removeNodes(t, s, at(appnodes.Window{Maintenance: true}), nil); exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "the answers have no maintenance window") {
		t.Errorf("without a window: exit code %d, %v", exit.Code(err), err)
	}

	ctx, stop := context.WithCancel(t.Context()) // Ctrl-C
	time.AfterFunc(10*time.Minute, stop)
	began := time.Now()
	out, err := changeNodes(t, s, at(appnodes.Window{At: s.Net.Clock.Now().Add(30 * time.Minute)}), nil, func(_ context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		return cluster.Remove(ctx, wanted, nodeInstaller(s), shown)
	})
	if exit.Code(err) != exit.Interrupted || !strings.Contains(err.Error(), "nothing was changed") || !strings.Contains(out, "waiting until ") || time.Since(began) > 11*time.Minute {
		t.Errorf("stopped after %s: exit code %d, %v\n%s", time.Since(began), exit.Code(err), err, lastLines(out))
	}

	start := s.Net.Clock.Now().Add(20 * time.Minute).Truncate(time.Minute)
	updated := func(clients *nodes.Clients) { // an update begins with the window
		clients.Cluster = unwell{clients.Cluster, func(seen *state.Snapshot) {
			now := s.Net.Clock.Now()
			seen.Version.Progressing, seen.Version.Message = now.After(start.Add(-time.Minute)) && now.Before(start.Add(30*time.Minute)), "4.x"
		}}
	}
	if _, err := removeNodes(t, s, at(appnodes.Window{At: start.Add(-time.Second)}), updated); err != nil && !strings.Contains(err.Error(), "an update of the cluster goes on") || exit.Code(err) != exit.Answers {
		t.Errorf("during an update: exit code %d, %v", exit.Code(err), err)
	}
	if made := zone.Mutations() - before; made > 0 || len(facts(t, s).Removals) > 0 {
		t.Errorf("%d calls changed something, removals %+v", made, facts(t, s).Removals)
	}

	zurich, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	start = s.Net.Clock.Now().Add(20 * time.Minute).Truncate(time.Minute)
	window := strings.ToLower(start.In(zurich).Format("Monday-1504"))
	out, err = changeNodes(t, s, at(appnodes.Window{Maintenance: true}), updated, func(ctx context.Context, cluster appnodes.Cluster, wanted appnodes.Removal, shown appnodes.Display) error {
		cluster.Spec.Syn.Facts = map[string]string{"maintenance_window": window}
		return cluster.Remove(ctx, wanted, nodeInstaller(s), shown)
	})
	if now := s.Net.Clock.Now(); err != nil || now.Before(start.Add(30*time.Minute)) || now.After(start.Add(time.Hour)) {
		t.Fatalf("window %s: it ended at %s: %v\n%s", window, now, err, lastLines(out))
	}
	if countMachines(t, s, "worker") != 3 {
		t.Error("worker-1 is not removed")
	}
	var node map[string]any
	askCluster(t, s, http.MethodGet, "/api/v1/nodes/worker-1", &node)
	if node["code"] != float64(http.StatusNotFound) {
		t.Errorf("node worker-1: %v", node)
	}
}
