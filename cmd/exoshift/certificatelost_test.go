package main

import (
	"strings"
	"testing"

	"exoshift/internal/app/run"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/state"
)

// A machine loses its first certificate four times: three new keys are approved, the next one only after an explicit decision.
func TestCertificateLost_NodeJoinsAfterADecision(t *testing.T) {
	long(t)
	t.Parallel()
	virtuallyIn(t, circumstances{scenario: "certificate-lost", spec: func(s *state.Spec) {
		s.Sizing.Infra.Count, s.Sizing.Storage.Count, s.Sizing.Workers.Count = 2, 0, 2
	}}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		s.Options.NewKeys = []string{"worker-0"}
		out, err := finish(t, s)
		if err != nil {
			t.Fatalf("%v\n%s", err, lastLines(out))
		}
		decision := func(decision, reason string) sign {
			return func(e provisioner.Event) bool {
				return e.Type == provisioner.TypeCSR && e.Node == "worker-0" && e.Decision == decision && strings.Contains(e.Reason, reason)
			}
		}
		inOrder(t, eventsOf(t, out), decision(state.Approved, "client certificate"), decision(state.Skipped, "another key"),
			decision(state.Approved, "new key 1"), decision(state.Approved, "new key 2"), decision(state.Approved, "new key 3"),
			decision(state.Undecided, "4 keys"), decision(state.Approved, "new key 4"), decision(state.Approved, "serving certificate"))
		if facts, err := s.Folder.LoadFacts(); err != nil || len(facts.NewKeys) != 1 {
			t.Errorf("%v, %v", facts.NewKeys, err)
		}
	})
}
