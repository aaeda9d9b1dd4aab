package generation

import (
	"context"
	"errors"
	"net/netip"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// A run that is stopped while it replaces machines has generated new certificates, which are not in the facts yet.
func TestRenewal_RestartsAfterStop(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		facts := state.NewFactsStore(state.Facts{IgnitionCreated: time.Now().Add(-25 * time.Hour)}, nil)
		r := NewRenewal(spec(), folder, facts, emptyCloud{}, silent{}, impatient{}, true)
		for _, generated := range []string{"old", "new"} {
			if err := folder.Write(filepath.Join(state.InstallDir, "metadata.json"), []byte(generated)); err != nil {
				t.Fatal(err)
			}
			if err := r.discard(t.Context(), func(provisioner.Event) {}); err != nil {
				t.Fatalf("%s certificates: %v", generated, err)
			}
			<-time.After(time.Minute)
		}
	})
	if aside, err := filepath.Glob(folder.Path(state.InstallDir + "-*Z")); err != nil || len(aside) != 2 {
		t.Errorf("put aside: %v, %v", aside, err)
	}
}

func TestRenewal_StopArchivesNothing(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Write(filepath.Join(state.InstallDir, "metadata.json"), nil); err != nil {
		t.Fatal(err)
	}
	facts := state.NewFactsStore(state.Facts{IgnitionCreated: time.Now().Add(-25 * time.Hour)}, nil)
	r := NewRenewal(spec(), folder, facts, emptyCloud{}, silent{}, impatient{}, true)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := r.discard(stopped, func(provisioner.Event) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := folder.Read(filepath.Join(state.InstallDir, "metadata.json")); err != nil {
		t.Error(err)
	}
}

type emptyCloud struct{ Cloud }

func (emptyCloud) ListInstances(ctx context.Context, _ map[string]string) ([]state.Instance, error) {
	return nil, ctx.Err()
}

// hesitant is a cluster that was not polled yet: its answers count from the second one on.
type hesitant struct{ answers *int }

func (h hesitant) Poll(context.Context, netip.Addr, []state.ExpectedNode) (seen state.Snapshot, err error) {
	if *h.answers++; *h.answers == 1 {
		return seen, errors.New("connection cut")
	}
	if *h.answers > 3 {
		seen.Bootstrap.Reached = []string{state.PhaseTemporaryAPI}
	}
	return seen, nil
}

func TestCheckAge_PollsUntilValidAnswer(t *testing.T) {
	generated := state.Ignition{Created: time.Now().Add(-25 * time.Hour), Expires: time.Now().Add(-time.Hour)}
	if err := CheckAge(t.Context(), generated, hesitant{answers: new(int)}, impatient{}); err != nil {
		t.Errorf("a bootstrap machine that runs: %v", err)
	}
}
