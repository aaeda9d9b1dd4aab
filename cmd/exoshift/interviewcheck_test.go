package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/internal/app/interview"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

func preflightChecks(spec state.Spec) (n int) {
	for _, step := range install.Steps(spec) {
		if step.Phase == install.Preflight {
			n++
		}
	}
	return n
}

func TestInterview_FailedCheckNamesAnswer(t *testing.T) {
	talking(t, circumstances{}, func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
		i := c.NewInterview()
		secrets := secretsOf(t, c)
		spec := i.Answers.Spec
		spec.Sizing.Storage.Type = "cpu.nowhere"
		var mu sync.Mutex
		var states []wizard.CheckState
		last := map[string]wizard.CheckState{}
		err := i.Check(t.Context(), spec, secrets, func(s wizard.CheckState) {
			mu.Lock()
			defer mu.Unlock()
			if s.Reach == nil { // connectivity checks are listed later
				states = append(states, s)
			}
			last[s.ID] = s
		})
		if !fault.Is(err, fault.Invalid) || last["offers"].State != provisioner.Failed || last["offers"].Field != "sizing.storage.type" {
			t.Errorf("%v, %+v", err, last["offers"])
		}
		if quay := last["NET-RH-001"]; quay.State != provisioner.Done || quay.Reach == nil || quay.Reach.Result.Verdict != reach.OK {
			t.Errorf("%+v", quay)
		}
		for n, s := range states[:preflightChecks(spec)] {
			if s.State != "" || s.Title == "" {
				t.Errorf("%d: %+v was told before all checks were named", n, s)
			}
		}
		if _, err := i.Review(t.Context(), spec, secrets); fault.FieldOf(err) != "sizing.storage.type" {
			t.Errorf("the review failed with %v about %q", err, fault.FieldOf(err))
		}
	})
}

// Checks that were cancelled still use their folder for a moment.
func TestInterview_CloseWaitsForChecks(t *testing.T) {
	for _, source := range []string{reach.Workstation, reach.Zone} {
		t.Run(source, func(t *testing.T) {
			talking(t, circumstances{}, func(t *testing.T, c *interview.Backend, _ *simcloud.Zone) {
				i, secrets := c.NewInterview(), secretsOf(t, c)
				if err := i.Save(i.Answers); err != nil {
					t.Fatal(err)
				}
				check := i.Check
				if source == reach.Zone {
					check = i.CheckFromZone
				}
				begun, ended := make(chan struct{}), atomic.Bool{}
				ctx, cancel := context.WithCancel(t.Context())
				hold := sync.OnceFunc(func() {
					close(begun)
					<-ctx.Done()
					<-time.After(time.Second) // in virtual time
					ended.Store(true)
				})
				go func() { _ = check(ctx, i.Answers.Spec, secrets, func(wizard.CheckState) { hold() }) }()
				<-begun
				cancel()
				if err := c.Close(); err != nil || !ended.Load() {
					t.Errorf("closed with %v; the checks have ended: %v", err, ended.Load())
				}
				if err := check(t.Context(), i.Answers.Spec, secrets, func(wizard.CheckState) {}); !errors.Is(err, context.Canceled) {
					t.Errorf("checks of a closed interview: %v", err)
				}
			})
		})
	}
}
