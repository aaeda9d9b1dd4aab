package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/assets"
	appnodes "exoshift/internal/app/nodes"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// volumeFollows requires that the machine of a node is stopped only once the volumes of its pods are detached, and that they are attached
// where the pods go.
func volumeFollows(t *testing.T, s run.Run, _ *simcloud.Zone) {
	n := tenant{backdoor{t, s}}
	claimed := n.claim("data", assets.StorageClass)
	n.consume("data")
	volume := n.until(state.KindVolume, "pvc-"+claimed)
	before := n.waitAttached(volume, "")
	out, err := removeNodes(t, s, appnodes.Removal{Names: []string{n.nameMachine(before)}}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	if !strings.Contains(out, "1 volumes are attached") {
		t.Errorf("nobody waited for the volume:\n%s", out)
	}
	n.waitAttached(volume, before)
}

// waitAttached waits until a volume is attached to a machine, and another one than before, and returns that.
func (n tenant) waitAttached(volume, before string) (machine string) {
	n.t.Helper()
	for range 60 {
		if holder, is := n.ask(http.MethodGet, "/block-storage/"+volume, nil)["instance"].(map[string]any); is && holder["id"] != before {
			return holder["id"].(string)
		}
		n.check(n.s.Net.Clock.Sleep(n.t.Context(), 10*time.Second))
	}
	n.t.Fatalf("the volume is attached to no other machine than %q", before)
	return ""
}

func (n tenant) nameMachine(id string) string {
	n.t.Helper()
	return n.ask(http.MethodGet, "/instance/"+id, nil)["name"].(string)
}
