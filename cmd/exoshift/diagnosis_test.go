package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/provisioner/install"
	"exoshift/state"
)

// saneTime limits the time to the first diagnosis. A run that waits for operators has waited for the machines before.
const saneTime = 70 * time.Minute

// patient is an installation with a fault.
type patient struct {
	circumstances
	alter func(*install.Clients)
}

// patients are by the rule that has to match first.
func patients() map[string]patient {
	scenario := func(name string) patient { return patient{circumstances: circumstances{scenario: name}} }
	external := scenario("no-cloud-controller")
	external.spec = func(s *state.Spec) { s.OpenShift.CloudControllerManager = "External" }
	rewritten := scenario("eip-source-rewritten")
	rewritten.spec = byElasticIP
	all := map[string]patient{
		"source-rewritten":       rewritten,
		"machine-config-blocked": scenario("mcs-blocked"),
		"no-master":              scenario("masters-silent"),
		"machine-silent":         scenario("master-never-joins"),
		"no-cloud-controller":    external,
	}
	installed := diagnosis.InstalledRules() // which tests of an installed cluster have
	for _, rule := range diagnosis.Rules() {
		if slices.ContainsFunc(installed, func(r diagnosis.Rule) bool { return r.ID == rule.ID }) {
			continue
		}
		if _, special := all[rule.ID]; !special {
			all[rule.ID] = scenario(rule.ID)
		}
	}
	return all
}

// Each rule is triggered in a zone with its cause, and is the first diagnosis.
func TestDiagnosis_EachRuleByItsCause(t *testing.T) {
	long(t)
	for rule, ill := range patients() {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			first, after, lines := diagnosed(t, ill)
			if first == nil {
				t.Fatalf("nothing was found within %s\n%s", after, lastLines(lines))
			}
			t.Logf("after %s: %s: %s\n%s\n%s", after.Round(time.Second), first.Confidence, first.Text, strings.Join(first.Evidence, "\n"), first.Hint)
			if first.Name != rule || first.State != provisioner.Present {
				t.Fatalf("%s is %s", first.Name, first.State)
			}
			if len(first.Evidence) == 0 || first.Text == "" || first.Hint == "" || first.Since == nil || first.Confidence == "" {
				t.Errorf("the diagnosis is incomplete: %+v", first)
			}
		})
	}
}

func diagnosed(t *testing.T, ill patient) (first *provisioner.Event, after time.Duration, lines string) {
	t.Helper()
	answers := ill.spec
	ill.spec = func(s *state.Spec) {
		s.Sizing.Infra.Count, s.Sizing.Storage.Count, s.Sizing.Workers.Count = 2, 0, 2
		if answers != nil {
			answers(s)
		}
	}
	virtuallyIn(t, ill.circumstances, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		ctx, cancel := context.WithTimeout(t.Context(), saneTime)
		defer cancel()
		doctor := &clinic{stop: cancel}
		began := time.Now()
		err := playedTo(ctx, t, s, doctor, ill.alter)
		first, after, lines = doctor.first, time.Since(began), doctor.lines.String()
		if first == nil {
			t.Logf("the run ended: %v", err)
		}
	})
	return first, after, lines
}

type clinic struct {
	lines bytes.Buffer // of the whole run
	read  int          // bytes parsed so far
	first *provisioner.Event
	stop  context.CancelFunc
}

func (c *clinic) Write(content []byte) (int, error) {
	c.lines.Write(content)
	for {
		rest := c.lines.Bytes()[c.read:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return len(content), nil
		}
		c.read += end + 1
		var event provisioner.Event
		if err := json.Unmarshal(rest[:end], &event); err != nil {
			return 0, err
		}
		if event.Type == provisioner.TypeDiagnosis && c.first == nil {
			c.first = &event
			c.stop()
		}
	}
}

// What is only slow is found to be slow at most, and once: an alarm that goes and comes again tells nothing.
func TestDiagnosis_SlowIsNoFault(t *testing.T) {
	long(t)
	for _, scenario := range []string{"slow", "slow-registry", "happy"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			events, code := playScenario(t, scenario, nil)
			found := map[string]int{}
			for _, e := range events {
				if e.Type == provisioner.TypeDiagnosis && e.State == provisioner.Present {
					found[e.Name]++
				}
			}
			t.Logf("exit code %d, found %v", code, found)
			if found["slow"] == 1 {
				delete(found, "slow")
			}
			if code != exit.OK || len(found) > 0 {
				t.Errorf("exit code %d, found %v", code, found)
			}
		})
	}
}
