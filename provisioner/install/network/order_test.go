package network

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// slowRules takes a second for a group, and a minute for its rules.
type slowRules struct {
	Cloud
	refused error // of groups
}

func (c slowRules) EnsureSecurityGroup(_ context.Context, group state.SecurityGroup) (string, state.Action, error) {
	if len(group.Rules) > 0 {
		time.Sleep(time.Minute)
		return "id", state.Updated, nil
	}
	time.Sleep(time.Second)
	return "id", state.Created, c.refused
}

func TestSecurityGroups_CreatedBeforeTheirRules(t *testing.T) {
	for name, refused := range map[string]error{"created": nil, "refused": errors.New("no")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				groups := NewSecurityGroups(state.Spec{}, slowRules{refused: refused})
				began, ended := time.Now(), make(chan time.Duration, 1)
				go func() {
					_ = groups.Ensure(t.Context(), func(provisioner.Event) {})
					ended <- time.Since(began)
				}()
				err := groups.WaitCreated(t.Context())
				if took := time.Since(began); took > 5*time.Second || (err == nil) != (refused == nil) {
					t.Errorf("after %s: %v", took, err)
				}
				if took := <-ended; refused == nil && took < time.Minute {
					t.Errorf("the rules took %s", took)
				}
			})
		})
	}
}
