package main

import (
	"context"
	"io"
	"path/filepath"
	"sync"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/internal/verify"
	"exoshift/provisioner"
	"exoshift/provisioner/openshift/release/installdir"
	"exoshift/state"
)

func untilImage(t *testing.T, s run.Run) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	registered := false
	watch := writerFunc(func(line []byte) {
		if e := eventsOf(t, string(line))[0]; e.Step == "image" && e.State == provisioner.Done {
			registered = true
			stop()
		}
	})
	if err := installWith(ctx, s, cli.Streams{Out: watch, Err: io.Discard}); !registered {
		t.Errorf("%s: %v", s.Spec.Cluster.ID, err)
	}
}

// Clusters of one organization share the boot image of nodes. Two concurrent installations both register it, and neither fails
// because of that, nor does anything else.
func TestInstall_TwoClustersConcurrently(t *testing.T) {
	t.Parallel()
	plenty := map[string]int{"instance": 200, "elastic-ip": 20, "bucket": 100, "iam-key": 100, "template": 20}
	virtuallyIn(t, circumstances{quotas: plenty}, func(t *testing.T, first run.Run, _ *simcloud.Zone) {
		clusters := []run.Run{first}
		for _, id := range []string{"c-demo-2", "c-demo-3"} {
			folder, err := state.Create(filepath.Join(t.TempDir(), id))
			if err != nil {
				t.Fatal(err)
			}
			other := first
			other.Folder, other.Spec.Cluster.ID, other.Cache = folder, id, folder.Path(state.BinDir)
			clusters = append(clusters, other)
		}
		var running sync.WaitGroup
		for _, s := range clusters[:2] {
			running.Go(func() { untilImage(t, s) })
		}
		running.Wait()
		templates := 0
		for _, o := range everything(t, first) {
			if o.Kind == state.KindTemplate {
				templates++
			}
		}
		if templates != 2 {
			t.Fatalf("%d templates: the clusters were not installed at the same moment", templates)
		}
		used := map[string]bool{}
		for _, s := range clusters {
			untilImage(t, s) // the third one for the first time
			preview, err := s.Preview(t.Context())
			if err != nil {
				t.Errorf("the plan of %s: %v", s.Spec.Cluster.ID, err)
			}
			if report, err := verify.Check(s.Folder, installdir.Read); err != nil || !report.IsSound() {
				t.Errorf("the folder of %s: %+v, %v", s.Spec.Cluster.ID, report.Findings, err)
			}
			for _, change := range preview.Changes {
				if change.Kind == state.KindTemplate {
					used[change.ID] = true
				}
			}
		}
		if len(used) != 1 || used[""] {
			t.Errorf("the clusters use different templates: %v", used)
		}
	})
}
