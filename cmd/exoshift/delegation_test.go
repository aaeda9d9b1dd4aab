package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
)

const nsRecords = "The zone example.net needs exactly these NS records:\n" +
	"c-demo-1.example.net. 3600 IN NS ns1.exoscale.ch.\nc-demo-1.example.net. 3600 IN NS ns1.exoscale.com.\n" +
	"c-demo-1.example.net. 3600 IN NS ns1.exoscale.io.\nc-demo-1.example.net. 3600 IN NS ns1.exoscale.net."

func TestDelegation_MissingThenRerun(t *testing.T) {
	long(t)
	t.Parallel()
	dir := t.TempDir()
	virtuallyIn(t, circumstances{scenario: "no-delegation", dir: dir}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s.Options.WaitForDNS, s.Locations.Resume = 5*time.Minute, "exoshift again"
		var out bytes.Buffer
		began := time.Now()
		err := installWith(t.Context(), s, cli.Streams{Out: &out, Err: os.Stderr})
		if took := time.Since(began); exit.Code(err) != exit.Human || took < 5*time.Minute || took > 15*time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
		if hint := fault.HintOf(err); hint != nsRecords+"\nThen run the same command again." {
			t.Errorf("the hint is %s", hint)
		}
		count := 0
		for _, e := range eventsOf(t, out.String()) {
			if e.Step == "delegation" && e.State == provisioner.Progress && e.Hint == nsRecords {
				count++
			}
		}
		if count != 1 || !strings.Contains(err.Error(), "example.net does not delegate c-demo-1.example.net yet") {
			t.Errorf("the records were told %d times; %v", count, err)
		}
		if names := strings.Join(belongings(t, s), " "); strings.Contains(names, "instance ") {
			t.Errorf("there are machines already: %s", names)
		}
	})
	virtuallyIn(t, circumstances{dir: dir}, func(t *testing.T, s run.Run, _ *simcloud.Zone) { untilStep(t, s, "temporary-api") })
}

func TestDelegation_AppearsDuringRun(t *testing.T) {
	long(t)
	t.Parallel()
	virtually(t, "late-dns", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		began := time.Now()
		events := untilStep(t, s, "load-balancers")
		if waited := time.Since(began); waited < 20*time.Minute || waited > 25*time.Minute {
			t.Errorf("the load balancers are started after %s", waited)
		}
		for _, e := range events {
			if e.Step == "delegation" && e.State == provisioner.Done {
				return
			}
		}
		t.Error("the delegation is not done")
	})
}

func TestDelegation_WrongIsComparedByServer(t *testing.T) {
	t.Parallel()
	virtually(t, "wrong-delegation", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s.Options.WaitForDNS = 2 * time.Minute
		err := installWith(t.Context(), s, cli.Streams{Out: new(bytes.Buffer), Err: os.Stderr})
		if exit.Code(err) != exit.Human || !strings.Contains(err.Error(), "missing: ns1.exoscale.net; wrong: ns1.exoscale.org") {
			t.Errorf("%v", err)
		}
		if hint := fault.HintOf(err); !strings.HasPrefix(hint, nsRecords) {
			t.Errorf("the hint is %s", hint)
		}
	})
}

// untilStep runs an installation, stops it when a step has started, and returns the events.
func untilStep(t *testing.T, s run.Run, step string) []provisioner.Event {
	t.Helper()
	return interruptedAt(t, s, func(e provisioner.Event) bool { return e.Step == step && e.State == provisioner.Started })
}

type writerFunc func(line []byte)

func (w writerFunc) Write(line []byte) (int, error) {
	w(line)
	return len(line), nil
}
