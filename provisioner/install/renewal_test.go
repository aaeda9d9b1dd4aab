package install

import (
	"path/filepath"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// A run that is stopped while it replaces machines has generated new certificates, of which the facts do not tell yet.
func TestARenewalThatWasStoppedGoesOnWithItsNewCertificates(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	i := &Installation{
		options: Options{Renew: true}, folder: folder, world: World{Cluster: silent{}},
		facts: state.Facts{IgnitionCreated: time.Now().Add(-25 * time.Hour)},
	}
	metadata := filepath.Join(state.InstallDir, "metadata.json")
	for _, generated := range []string{"old", "new"} {
		if err := folder.Write(metadata, []byte(generated)); err != nil {
			t.Fatal(err)
		}
		if err := i.discard(t.Context(), func(provisioner.Event) {}); err != nil {
			t.Fatalf("%s certificates: %v", generated, err)
		}
	}
	if kept, err := folder.Read(metadata); err != nil || string(kept) != "new" {
		t.Errorf("%q is left, %v", kept, err)
	}
}
