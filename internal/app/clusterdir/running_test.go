package clusterdir_test

import (
	"os"
	"testing"
	"time"

	"exoshift/internal/app/clusterdir"
	"exoshift/state"
)

func TestFindRunningRecord(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{state.EventsFile, state.NodesFile} {
		if err := folder.Write(name, []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
	}
	age := func(name string, by time.Duration) {
		t.Helper()
		at := time.Now().Add(-by)
		if err := os.Chtimes(folder.Path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want, when string) {
		t.Helper()
		if got := clusterdir.FindRunningRecord(folder); got != want {
			t.Errorf("%s: %s", when, got)
		}
	}
	age(state.EventsFile, time.Hour)
	expect(state.EventsFile, "a verb that has ended")
	release, err := folder.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	expect(state.NodesFile, "a verb that goes on")
	age(state.NodesFile, 2*time.Hour)
	expect(state.EventsFile, "an installation that goes on after a verb")
}
