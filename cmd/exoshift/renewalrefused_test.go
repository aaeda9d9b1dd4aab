package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/state"
)

// A running cluster renews its certificates by itself. The incomplete record of an interrupted run must not lead to a renewal,
// whatever the flags.
func machinesKept(t *testing.T, s run.Run, _ *simcloud.Zone) {
	before, known := identified(t, s), facts(t, s)
	known.BootstrapRemoved, known.Installed = time.Time{}, time.Time{}
	known.IgnitionCreated, known.IgnitionExpires = time.Now().Add(-25*time.Hour), time.Now().Add(-time.Hour)
	s.Options.Renew = true
	refused := func() {
		if err := s.Folder.SaveFacts(known); err != nil {
			t.Fatal(err)
		}
		if out, err := finish(t, s); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "the cluster is running and renews them itself") {
			t.Errorf("%v\n%s", err, lastLines(out))
		}
	}
	refused()
	// Nor if the folder got other, recent certificates meanwhile.
	if err := os.RemoveAll(s.Folder.Path(state.InstallDir)); err != nil {
		t.Fatal(err)
	}
	known.IgnitionCreated, known.IgnitionExpires = time.Time{}, time.Time{}
	known.RootCAHash = strings.Repeat("0", len(known.RootCAHash))
	refused()
	after := identified(t, s)
	for name, id := range before {
		if strings.HasPrefix(name, state.KindInstance) && after[name] != id {
			t.Errorf("%s was %q and is %q", name, id, after[name])
		}
	}
}
