package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
)

// Load balancers that do not come up are told of before anything is paid for that depends on them; with new ones the same
// command goes on.
func TestInstall_SilentLoadBalancersCreateNoNode(t *testing.T) {
	whole(t)
	t.Parallel()
	virtually(t, "load-balancer-packages", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s = withAgent(t, s)
		b := gateCloses(t, s, "The log of lb-0 ends with:", "E: Unable to locate package haproxy")
		for _, name := range b.machineNames() {
			b.ask("DELETE", "/instance/"+b.id("/instance", "instances", "name", name), nil)
		}
		untilStep(t, s, "bootstrap-machine")
		ended := slices.ContainsFunc(toldEvents(t, s), func(e provisioner.Event) bool {
			return e.Step == "load-balancers-ready" && e.State == provisioner.Done
		})
		if !ended {
			t.Error("new load balancers do not answer either")
		}
	})
}

// Where cloud-init fails before it reads the user data unknown key of the operator on the machine, and no log of packages:
// the machine is there, and nothing on it ever listens.
func TestInstall_CloudInitFailsEarly(t *testing.T) {
	whole(t)
	t.Parallel()
	virtually(t, "load-balancer-cloud-init", func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		gateCloses(t, withAgent(t, s), "The log of lb-0 could not be read:")
	})
}

// gateCloses runs an installation that ends within ten minutes for the load balancers' sake, and creates nothing after them. logs is what
// it says of their logs.
func gateCloses(t *testing.T, s run.Run, logs ...string) backdoor {
	t.Helper()
	began := time.Now()
	out, err := finish(t, s)
	if after := time.Since(began); exit.Code(err) != exit.Infra || after > 10*time.Minute {
		t.Errorf("exit code %d after %s: %v\n%s", exit.Code(err), after, err, lastLines(out))
	}
	if err == nil || !strings.Contains(err.Error(), "packages could not be installed when it booted, or cloud-init failed") {
		t.Errorf("the error is %v", err)
	}
	commands := []string{"cloud-init-output.log", "exo compute instance console-url --zone ch-gva-2 lb-0", "exo compute instance delete --zone ch-gva-2 lb-0 lb-1"}
	for _, want := range append(logs, commands...) {
		if hint := fault.HintOf(err); !strings.Contains(hint, want) {
			t.Errorf("the hint lacks %q: %s", want, hint)
		}
	}
	b := backdoor{t, s}
	if names := b.machineNames(); !slices.Equal(names, []string{"lb-0", "lb-1"}) {
		t.Fatalf("there are %v", names)
	}
	return b
}

func (b backdoor) machineNames() []string {
	var names []string
	for _, machine := range b.list("/instance", "instances") {
		names = append(names, machine["name"].(string))
	}
	slices.Sort(names)
	return names
}
