package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// Tests of an installed example cluster share one installation. Tests that change it get a copy of the zone and of the
// cluster's folder.
func TestAFinishedInstallation(t *testing.T) {
	whole(t)
	t.Parallel()
	dir := t.TempDir()
	var finished time.Time
	virtuallyIn(t, circumstances{dir: dir}, func(t *testing.T, s session, zone *simcloud.Zone) {
		if names := pending(t, s); len(names) < 40 {
			t.Errorf("a plan of nothing has %d changes", len(names))
		}
		before := zone.Mutations()
		installed(t, s)
		if made := zone.Mutations() - before; made < 50 {
			t.Errorf("the installation made only %d mutating calls: the counter counts nothing", made)
		}
		nodesToldInTime(t, s)
		journalWithoutAgent(t, s)
		registryInBucket(t, s)
		finished = time.Now()
	})
	for name, test := range map[string]func(*testing.T, session, *simcloud.Zone){
		"changes nothing when it is repeated":                     repeated,
		"is handed over without a secret":                         handedOverWithoutASecret,
		"keeps its machines when certificates are to be renewed":  machinesKept,
		"has a plan that names what another installation repairs": driftRepaired,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := t.TempDir()
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished}, test)
		})
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == from {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		if entry.IsDir() {
			return os.Mkdir(target, info.Mode().Perm())
		}
		content, err := os.ReadFile(path) //nolint:gosec // a file of the test's own folder
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, info.Mode().Perm())
	})
	if err != nil {
		t.Fatal(err)
	}
}

func repeated(t *testing.T, s session, zone *simcloud.Zone) {
	before := zone.Mutations()
	installed(t, s)
	if made := zone.Mutations() - before; made != 0 {
		t.Errorf("the second run made %d mutating calls", made)
	}
}

// toldEvents returns the events of all runs in the folder.
func toldEvents(t *testing.T, s session) []provisioner.Event {
	t.Helper()
	lines, err := s.folder.Read(state.EventsFile)
	if err != nil {
		t.Fatal(err)
	}
	return eventsOf(t, string(lines))
}
