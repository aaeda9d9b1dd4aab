package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	apppower "exoshift/internal/app/power"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/power"
	"exoshift/state"
)

// repairOutput keeps the plan.
type repairOutput struct {
	powerOutput
	plan *apppower.Plan
}

func (o repairOutput) ShowPlan(plan apppower.Plan) error {
	*o.plan = plan
	return nil
}

func repairCertificates(ctx context.Context, t *testing.T, s run.Run, wanted apppower.Request, alter func(*power.Clients)) (plan apppower.Plan, out string, err error) {
	t.Helper()
	var text bytes.Buffer
	shown := repairOutput{powerOutput{jsonDisplay(cli.Streams{Out: &text, Err: io.Discard}), &text}, &plan}
	err = apppower.Cluster{Cluster: clusterOf(t, s), Alter: alter}.RepairCertificates(ctx, wanted, shown)
	return plan, text.String(), err
}

// certificatesRepaired requires that nodes whose certificates ended get new ones only by the verb, and only for requests that came after it
// began, also if it is stopped in between.
func certificatesRepaired(t *testing.T, s run.Run, zone *simcloud.Zone) {
	if plan, _, err := repairCertificates(t.Context(), t, s, apppower.Request{}, nil); err != nil || len(plan.Silent) > 0 || len(plan.Steps) > 0 {
		t.Errorf("a cluster that is well: %+v, %v", plan.Silent, err)
	}
	change := func(verb string, only func(name string) bool) { t.Helper(); switchMachines(t, s, verb, only) }
	isWorker := func(name string) bool { return strings.HasPrefix(name, "worker-") }
	change("stop", isWorker)
	if _, _, err := repairCertificates(t.Context(), t, s, apppower.Request{}, nil); exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "worker-0") {
		t.Errorf("machines do not run: %v", err)
	}
	isOther := func(name string) bool { return !isWorker(name) }
	change("stop", isOther)
	passTime(t, s, 3*24*time.Hour)
	change("start", func(name string) bool { return strings.HasPrefix(name, "lb-") })
	change("start", func(name string) bool { return !strings.HasPrefix(name, "lb-") })
	passTime(t, s, 10*time.Minute)

	before := zone.Mutations()
	plan, _, err := repairCertificates(t.Context(), t, s, apppower.Request{DryRun: true}, nil)
	if err != nil || len(plan.Silent) != len(s.Spec.Nodes()) || len(plan.Steps) == 0 || zone.Mutations() != before {
		t.Fatalf("a dry run: %v, %d nodes, %d calls changed something", err, len(plan.Silent), zone.Mutations()-before)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
	defer cancel()
	if _, out, err := repairCertificates(ctx, t, s, apppower.Request{}, func(clients *power.Clients) { clients.Cluster = withoutApproval{clients.Cluster} }); err == nil {
		t.Errorf("nodes are ready without certificates:\n%s", lastLines(out))
	}
	plan, out, err := repairCertificates(t.Context(), t, s, apppower.Request{}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireFinding(t, out, "expired-while-off", "has not reported since 2000-01-01 ", `"disposition":"repair"`)
	var stale []string // the newest ones of the nodes among them
	for _, node := range plan.Silent {
		stale = append(stale, node.Requests...)
	}
	if len(stale) < len(s.Spec.Nodes()) {
		t.Errorf("%d requests waited", len(stale))
	}
	for line := range strings.Lines(out) {
		if e, is := strings.CutPrefix(line, "{"); is {
			event := eventsOf(t, "{"+e)[0]
			if event.Type == provisioner.TypeCSR && event.Decision == state.Approved && slices.Contains(stale, event.Name) {
				t.Errorf("%s was approved, which came before the yes", event.Name)
			}
		}
	}
	checkStarted(t, s, out)
}

// switchMachines stops or starts machines as a person does by hand.
func switchMachines(t *testing.T, s run.Run, verb string, only func(name string) bool) {
	t.Helper()
	for _, machine := range (backdoor{t, s}).list("/instance", "instances") {
		if only(machine["name"].(string)) {
			backdoor{t, s}.ask(http.MethodPut, "/instance/"+machine["id"].(string)+":"+verb, nil)
		}
	}
	passTime(t, s, 2*time.Minute)
}

// expiredWhileOff requires that certificates which are brief are renewed while the machines run, and that a start after some hours says
// what it repairs.
func expiredWhileOff(t *testing.T, s run.Run, _ *simcloud.Zone) {
	passTime(t, s, 150*time.Minute)
	for _, node := range listNodes(t, s) {
		if node.Node == nil || !node.Node.Ready {
			t.Errorf("%s is not ready, although its machine was never off", node.Name)
		}
	}
	switchMachines(t, s, "stop", func(string) bool { return true })
	passTime(t, s, 3*time.Hour)
	out, err := changePower(t.Context(), t, s, apppower.VerbStart, apppower.Request{}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, lastLines(out))
	}
	requireFinding(t, out, "expired-while-off", "has not reported since 2000-01-01 0", `"disposition":"repair"`)
	if !strings.Contains(out, `"state":"gone"`) {
		t.Errorf("the finding has no end:\n%s", lastLines(out))
	}
	checkStarted(t, s, out)
}
