package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

// meddler applies Steward's manifests with one injected mistake.
type meddler struct {
	syn.GitOps
	old, by string
}

func (m meddler) Apply(ctx context.Context, manifests []byte) ([]state.AppliedObject, error) {
	return m.GitOps.Apply(ctx, bytes.ReplaceAll(manifests, []byte(m.old), []byte(m.by)))
}

// Project Syn is simulated as strictly as the cluster: each wrong detail ends in a wait that times out, and that names what it
// waits for.
func TestSyn_WrongDetailFails(t *testing.T) {
	long(t)
	for name, c := range map[string]struct {
		alter func(*install.Clients)
		says  string
	}{
		"a challenge with another target": {func(w *install.Clients) {
			w.Cloud = saboteur{Cloud: w.Cloud, record: func(r state.Record) state.Record {
				if strings.HasPrefix(r.Name, "_acme-challenge") {
					r.Content = "nobody.example.net"
				}
				return r
			}}
		}, "ertificate"},
		"an agent of another cluster": {func(w *install.Clients) {
			w.Syn.Cluster = meddler{w.Syn.Cluster, `"c-demo-1"`, `"c-old-mill-1234"`}
		}, "the cluster's Steward has not reported to Lieutenant"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtuallyIn(t, circumstances{spec: connectedSpec}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
				out, err := played(t, s, c.alter)
				if exit.Code(err) != exit.Syn || !strings.Contains(err.Error(), c.says) {
					t.Errorf("exit code %d: %v\n%s", exit.Code(err), err, lastLines(out))
				}
			})
		})
	}
}
