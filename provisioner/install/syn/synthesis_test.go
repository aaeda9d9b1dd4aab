package syn

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// The wait counts as every face does: the application that brings the others is one of them.
func TestTheWaitCountsTheApplicationThatBringsTheOthers(t *testing.T) {
	well := func(name string) state.ApplicationStatus {
		return state.ApplicationStatus{Name: name, Sync: "Synced", Health: "Healthy"}
	}
	seen := state.Synthesis{
		Steward: state.ApplicationStatus{Name: "steward-agent", Health: "Healthy"}, Argo: state.ApplicationStatus{Name: "argo-cd", Health: "Healthy"},
		Root: well("root"), Applications: []state.ApplicationStatus{well("cilium"), {Name: "backup", Sync: "Unknown", Health: "Healthy", Message: "no plugin"}},
	}
	const want = "2 of 3 applications are synced and healthy; backup is Healthy, sync Unknown: no plugin"
	if err := lacking(seen); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// restless is a cluster whose one application fails again and again, and counts how often.
type restless struct {
	GitOps
	looks int
}

func (r *restless) Synthesis(context.Context) (state.Synthesis, error) {
	r.looks++
	health := []string{"Progressing", "Degraded"}[r.looks%2]
	return state.Synthesis{
		Steward: state.ApplicationStatus{Name: "steward-agent", Health: "Healthy"}, Argo: state.ApplicationStatus{Name: "argo-cd", Health: "Healthy"},
		Root:         state.ApplicationStatus{Name: "root", Sync: "Synced", Health: "Healthy"},
		Applications: []state.ApplicationStatus{{Name: "backup", Sync: "OutOfSync", Health: health, Message: fmt.Sprintf("failed (retried %d times)", r.looks)}},
	}, nil
}

func TestAnApplicationThatFailsAgainAndAgainIsNotWaitedForForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connectedTo(t, &World{Cluster: &restless{}}, Installation{})
		ctx, cancel := context.WithTimeout(t.Context(), 2*limitSynthesis)
		defer cancel()
		began := time.Now()
		err := c.synthesis()(ctx, unheard)
		var limit *provisioner.LimitError
		if !errors.As(err, &limit) || time.Since(began) > limitSynthesis+time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
