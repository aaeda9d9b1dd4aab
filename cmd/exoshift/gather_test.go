package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exoshift/cmd/exoshift/check"
	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/bundle"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
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
		events := eventsOf(t, out.String())
		last := events[len(events)-2]
		if last.Type != provisioner.TypeGathered || last.State != provisioner.Done || last.Name != s.Folder.Path(kept[0]) {
			t.Errorf("before the last event: %+v", last)
		}
	})
}

// A run that fails before anything is created keeps what explains that, too, and the whole report of its checks.
func TestGather_AfterFailedPreflight(t *testing.T) {
	virtually(t, "nxdomain", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		var out bytes.Buffer
		failure := installWith(t.Context(), s, cli.Streams{Out: &out, Err: os.Stderr})
		if exit.Code(failure) != exit.Checks {
			t.Fatalf("%v\n%s", failure, lastLines(out.String()))
		}
		kept, err := s.Folder.ListGathered()
		if err != nil || len(kept) != 1 {
			t.Fatalf("gathered: %v, %v", kept, err)
		}
		for name, want := range map[string]string{
			filepath.Join(kept[0], "index.json"):         "registry.redhat.io",
			filepath.Join(kept[0], "cloud/objects.json"): "Others",
			state.ChecksFile:                             `"verdict": "ok"`,
		} {
			content, err := s.Folder.Read(name)
			if err != nil || !strings.Contains(string(content), want) {
				t.Errorf("%s: %v, %.200s", name, err, content)
			}
		}
		if summary := string(summarize(s.Folder, s.Net.Clock.Now())); !strings.Contains(summary, "## Connectivity checks") || !strings.Contains(summary, "fail NET-") {
			t.Errorf("the summary lacks the checks:\n%s", summary)
		}
		made, err := bundle.Pack(s.Folder, bundle.Origin{}, clusterdir.NewRedactor(s.Folder))
		if err != nil || !slices.ContainsFunc(made.Files, func(f bundle.File) bool { return f.Name == state.ChecksFile }) {
			t.Errorf("the bundle lacks the report of the checks: %v", err)
		}
	})
}

func TestDescribeChecks_TellsNewerFormat(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{
		"":              "none in this folder",
		`{"v":2}`:       "unsupported version 2",
		`{"v":1,"resul`: "not a JSON report",
		`{"v":1,"results":[{"id":"NET-1","target":"a:443","verdict":"fail"}]}`: "0 ok, 0 warn, 1 fail, 0 skipped\n  fail NET-1 a:443",
	} {
		if content != "" {
			if err := folder.Write(state.ChecksFile, []byte(content)); err != nil {
				t.Fatal(err)
			}
		} else if err := os.RemoveAll(folder.Path(state.ChecksFile)); err != nil {
			t.Fatal(err)
		}
		if got := check.DescribeKept(folder); !strings.Contains(got, want) {
			t.Errorf("%s: %s", content, got)
		}
	}
}
