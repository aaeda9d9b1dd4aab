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
		began := time.Now()
		out, err := finish(t, s)
		if after := time.Since(began); exit.Code(err) != exit.Infra || after > 10*time.Minute {
			t.Errorf("exit code %d after %s: %v\n%s", exit.Code(err), after, err, lastLines(out))
		}
		if hint := fault.HintOf(err); err == nil || !strings.Contains(err.Error(), "packages could not be installed") ||
			!strings.Contains(hint, "cloud-init-output.log") || !strings.Contains(hint, "exo compute instance delete --zone ch-gva-2 lb-0 lb-1") {
			t.Errorf("the error is %v, the hint %s", err, hint)
		}
		b := backdoor{t, s}
		var names []string
		for _, machine := range b.list("/instance", "instances") {
			names = append(names, machine["name"].(string))
		}
		if slices.Sort(names); !slices.Equal(names, []string{"lb-0", "lb-1"}) {
			t.Fatalf("there are %v", names)
		}
		for _, name := range names {
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
