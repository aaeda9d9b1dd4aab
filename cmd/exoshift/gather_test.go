package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
)

func TestAFailureLeavesWhatMayExplainItInTheFolder(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "master-never-joins", func(t *testing.T, s session, _ *simcloud.Zone) {
		var out bytes.Buffer
		failure := s.run(t.Context(), streams{out: &out, err: os.Stderr})
		if exit.Code(failure) != exit.ControlPlane {
			t.Fatalf("%v\n%s", failure, lastLines(out.String()))
		}
		kept, err := s.folder.ListGathered()
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
			content, err := s.folder.Read(filepath.Join(kept[0], name))
			if err != nil || !strings.Contains(string(content), want) {
				t.Errorf("%s: %v, %.200s", name, err, content)
			}
		}
		told := eventsOf(t, out.String())
		last := told[len(told)-2]
		if last.Type != provisioner.TypeGathered || last.State != provisioner.Done || last.Name != s.folder.Path(kept[0]) {
			t.Errorf("before the last event: %+v", last)
		}
	})
}

func TestOnlyFailuresThatMoreMayExplainAreGatheredFor(t *testing.T) {
	in := func(phase string, err error) error {
		return &provisioner.StepError{Step: provisioner.Step{ID: "x", Phase: phase}, Err: err}
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"success":             {nil, false},
		"a failed wait":       {in(install.ControlPlane, &provisioner.LimitError{Err: errors.New("2 of 3")}), true},
		"a preflight":         {in(install.Preflight, errors.New("clock")), false},
		"a stop":              {context.Canceled, false},
		"a stop in a step":    {in(install.Nodes, context.Canceled), false},
		"a human has to act":  {in(install.Infrastructure, fault.New(fault.Waiting, "delegate", nil)), false},
		"a full disk":         {errors.New("record the events"), false},
		"a step and the disk": {errors.Join(in(install.Nodes, errors.New("x")), errors.New("record")), true},
	} {
		if got := shouldGather(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
