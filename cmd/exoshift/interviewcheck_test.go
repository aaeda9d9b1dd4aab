package main

import (
	"sync"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/wizard"
)

func TestChecksAllWaitFirstAndAFailureNamesTheAnswerToChange(t *testing.T) {
	talking(t, circumstances{}, func(t *testing.T, c *conversation, _ *simcloud.Zone) {
		i := c.interview()
		secrets := secretsOf(t, c)
		spec := i.Answers.Spec
		spec.Sizing.Storage.Type = "cpu.nowhere"
		var mu sync.Mutex
		var told []wizard.CheckState
		last := map[string]wizard.CheckState{}
		err := i.Check(t.Context(), spec, secrets, func(s wizard.CheckState) {
			mu.Lock()
			defer mu.Unlock()
			told, last[s.ID] = append(told, s), s
		})
		if !fault.Is(err, fault.Invalid) || last["offers"].State != provisioner.Failed || last["offers"].Field != "sizing.storage.type" {
			t.Errorf("%v, %+v", err, last["offers"])
		}
		for n, s := range told[:len(last)] {
			if s.State != "" || s.Title == "" {
				t.Errorf("%d: %+v was told before all checks were named", n, s)
			}
		}
		if _, err := i.Review(t.Context(), spec, secrets); fault.FieldOf(err) != "sizing.storage.type" {
			t.Errorf("the review failed with %v about %q", err, fault.FieldOf(err))
		}
	})
}
