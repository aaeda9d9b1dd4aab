package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// response is what a run does about the finding of a scenario.
type response struct {
	rule     string
	code     int           // exit code
	within   time.Duration // of the finding; 0: any
	options  func(*run.Options)
	repaired bool
}

func responses() map[string]response {
	repaired := func(rule string) response { return response{rule: rule, repaired: true} }
	stopped := func(rule string, code int) response { return response{rule: rule, code: code, within: 2 * time.Minute} }
	return map[string]response{
		"mcs-blocked":             repaired("machine-config-blocked"),
		"load-balancer-blocked":   repaired("load-balancer-blocked"),
		"rules-missing":           repaired("rules-missing"),
		"api-name-missing":        repaired("api-name-missing"),
		"routes-unreachable":      repaired("routes-unreachable"),
		"elastic-ip-detached":     repaired("elastic-ip-detached"),
		"machine-stopped":         repaired("machine-stopped"),
		"address-clash":           stopped("address-clash", exit.Operators),
		"wrong-boot-image":        stopped("wrong-boot-image", exit.Bootstrap),
		"foreign-authority":       stopped("foreign-authority", exit.Bootstrap),
		"certificate-expired":     stopped("certificate-expired", exit.Bootstrap),
		"machine-config-mismatch": stopped("machine-config-mismatch", exit.ControlPlane),
		"api-name-moved":          stopped("api-name-missing", exit.Bootstrap),
		"routers-on-masters":      stopped("routers-on-masters", exit.Operators),
	}
}

// Without a terminal, what is ours is repaired, and what nothing can mend stops the run soon.
func TestResponse_WithoutTerminal(t *testing.T) {
	long(t)
	for scenario, want := range responses() {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			checkResponse(t, scenario, want)
		})
	}
}

func TestResponse_TurnedOff(t *testing.T) {
	long(t)
	waits := func(o *run.Options) { o.WaitOnFailure = true }
	for scenario, want := range map[string]response{
		"mcs-blocked":       {rule: "machine-config-blocked", code: exit.ControlPlane, options: func(o *run.Options) { o.NoRepair = true }},
		"api-name-missing":  {rule: "api-name-missing", code: exit.Bootstrap, options: func(o *run.Options) { o.NoRepair = true }},
		"foreign-authority": {rule: "foreign-authority", code: exit.Bootstrap, options: waits},
		"api-name-moved":    {rule: "api-name-missing", code: exit.Bootstrap, options: waits},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			if events := checkResponse(t, scenario, want); slices.ContainsFunc(events, isResponse) {
				t.Error("the run repaired, or decided")
			}
		})
	}
}

func isResponse(e provisioner.Event) bool {
	return e.Type == provisioner.TypeRepair || e.Type == provisioner.TypeDecision
}

func checkResponse(t *testing.T, scenario string, want response) []provisioner.Event {
	t.Helper()
	events, code := playScenario(t, scenario, want.options)
	last := events[len(events)-1]
	found := slices.IndexFunc(events, func(e provisioner.Event) bool { return e.Type == provisioner.TypeDiagnosis && e.Name == want.rule })
	if code != want.code || found < 0 {
		t.Fatalf("exit code %d, want %d: %s", code, want.code, last.Text)
	}
	took := last.Time.Sub(events[found].Time)
	t.Logf("%s after the finding: %s", took.Round(time.Second), last.Text)
	if want.within > 0 && took > want.within {
		t.Errorf("the run ended %s after the finding", took)
	}
	if turnedOff := want.options != nil; turnedOff && took < 20*time.Minute {
		t.Errorf("the run waited for %s only", took)
	}
	repaired := slices.ContainsFunc(events, func(e provisioner.Event) bool {
		return e.Type == provisioner.TypeRepair && e.Name == want.rule && e.State == provisioner.Done
	})
	if repaired != want.repaired {
		t.Errorf("repaired: %t", repaired)
	}
	if code != exit.OK && last.Hint == "" {
		t.Error("nothing is proposed")
	}
	return events
}

// playScenario runs an installation in a scenario to its end.
func playScenario(t *testing.T, scenario string, options func(*run.Options)) (events []provisioner.Event, code int) {
	t.Helper()
	world := circumstances{scenario: scenario, spec: smallCluster(scenario)}
	virtuallyIn(t, world, func(t *testing.T, r run.Run, _ *simcloud.Zone) {
		if options != nil {
			options(&r.Options)
		}
		var lines bytes.Buffer
		code = exit.Code(playedTo(t.Context(), t, r, &lines, nil))
		events = eventsOf(t, lines.String())
	})
	return events, code
}

// A person who is asked decides.
func TestResponse_AsksOnTerminal(t *testing.T) {
	long(t)
	for name, c := range map[string]struct {
		scenario, rule string
		reply          provisioner.Reply
		code           int
	}{
		"repairs what somebody has changed": {"api-name-moved", "api-name-missing", provisioner.ReplyRepair, exit.OK},
		"moves the routers back":            {"routers-on-masters", "routers-on-masters", provisioner.ReplyRepair, exit.OK},
		"stops":                             {"wrong-boot-image", "wrong-boot-image", provisioner.ReplyStop, exit.Bootstrap},
		"goes on":                           {"foreign-authority", "foreign-authority", provisioner.ReplyWait, exit.Bootstrap},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			virtuallyIn(t, circumstances{scenario: c.scenario, spec: smallCluster(c.scenario)}, func(t *testing.T, r run.Run, _ *simcloud.Zone) {
				operator := &decider{Display: jsonDisplay(cli.Streams{Out: io.Discard, Err: os.Stderr}), reply: c.reply}
				if code := exit.Code(r.Install(t.Context(), operator)); code != c.code {
					t.Errorf("exit code %d", code)
				}
				if operator.asked != c.rule || operator.decided != string(c.reply) {
					t.Errorf("asked about %q, decided %q", operator.asked, operator.decided)
				}
			})
		})
	}
}

// decider is a display with a person, who answers at once.
type decider struct {
	cli.Display
	reply          provisioner.Reply
	seen           func(provisioner.Event) // nil: nothing is called
	asked, decided string
}

func (d *decider) Open(ctx context.Context, shown run.View) run.Renderer {
	renderer := d.Display.Open(ctx, shown)
	renderer.IsAttended = func() bool { return true }
	renderer.Emit = func(e provisioner.Event) {
		if d.seen != nil {
			d.seen(e)
		}
		switch {
		case e.Type != provisioner.TypeDecision:
		case e.State == provisioner.Asked:
			d.asked = e.Name
			shown.Decide(e.Name, d.reply)
		case e.State == provisioner.Decided:
			d.decided = e.Decision
		}
	}
	return renderer
}

// smallCluster returns the answers of a small cluster that a scenario affects.
func smallCluster(scenarios string) func(*state.Spec) {
	return func(s *state.Spec) {
		s.Sizing.Infra.Count, s.Sizing.Storage.Count, s.Sizing.Workers.Count = 2, 0, 2
		if strings.Contains(scenarios, "no-cloud-controller") {
			s.OpenShift.CloudControllerManager = "External"
		}
		if strings.Contains(scenarios, "eip-source-rewritten") {
			byElasticIP(s)
		}
	}
}
