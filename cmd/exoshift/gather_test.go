package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
)

func TestGather_AfterFailure(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "master-never-joins", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		var out bytes.Buffer
		failure := installWith(t.Context(), s, cli.Streams{Out: &out, Err: os.Stderr})
		if exit.Code(failure) != exit.ControlPlane {
			t.Fatalf("%v\n%s", failure, lastLines(out.String()))
		}
		kept, err := s.Folder.ListGathered()
		if err != nil || len(kept) != 1 {
			t.Fatalf("gathered: %v, %v", kept, err)
		}
		for name, want := range map[string]string{
			"index.json":          `"cluster": "c-demo-1"`,
			"observation.json":    "etcd-bootstrap",
			"findings.json":       "[",
			"cloud/machines.json": "master-2",
			"cloud/objects.json":  "c-demo-1_control_plane",
			"cluster/nodes.jsonl": "master-0",
			"cluster/certificatesigningrequests-certificates.jsonl": "system:node:",
			"cluster/clusteroperators-config.jsonl":                 `"kind":"ClusterOperator"`,
			"cluster/etcds-operator.jsonl":                          "EtcdMembersAvailable",
		} {
			content, err := s.Folder.Read(filepath.Join(kept[0], name))
			if err != nil || !strings.Contains(string(content), want) {
				t.Errorf("%s: %v, %.200s", name, err, content)
			}
		}
		told := eventsOf(t, out.String())
		last := told[len(told)-2]
		if last.Type != provisioner.TypeGathered || last.State != provisioner.Done || last.Name != s.Folder.Path(kept[0]) {
			t.Errorf("before the last event: %+v", last)
		}
	})
}
