package syn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// The root application is counted, as in every frontend.
func TestSynthesis_CountsRootApplication(t *testing.T) {
	well := func(name string) state.ApplicationStatus {
		return state.ApplicationStatus{Name: name, Sync: "Synced", Health: "Healthy"}
	}
	seen := state.SynStatus{
		Steward: state.ApplicationStatus{Name: "steward-agent", Health: "Healthy"}, Argo: state.ApplicationStatus{Name: "argo-cd", Health: "Healthy"},
		Root: well("root"), Applications: []state.ApplicationStatus{well("cilium"), {Name: "backup", Sync: "Unknown", Health: "Healthy", Message: "no plugin"}},
	}
	const want = "2 of 3 applications are synced and healthy; backup is Healthy, sync Unknown: no plugin"
	if err := checkSynthesis(seen); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// restless is a cluster whose one application fails again and again, with a counter in the message.
type restless struct {
	GitOps
	looks int
}

func (r *restless) GetSynthesis(context.Context) (state.SynStatus, error) {
	r.looks++
	health := []string{"Progressing", "Degraded"}[r.looks%2]
	return state.SynStatus{
		Steward: state.ApplicationStatus{Name: "steward-agent", Health: "Healthy"}, Argo: state.ApplicationStatus{Name: "argo-cd", Health: "Healthy"},
		Root:         state.ApplicationStatus{Name: "root", Sync: "Synced", Health: "Healthy"},
		Applications: []state.ApplicationStatus{{Name: "backup", Sync: "OutOfSync", Health: health, Message: fmt.Sprintf("failed (retried %d times)", r.looks)}},
	}, nil
}

func TestSynthesis_StopsOnRepeatedFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connectedTo(t, &Clients{Cluster: &restless{}}, Deps{})
		ctx, cancel := context.WithTimeout(t.Context(), 2*limitSynthesis)
		defer cancel()
		began := time.Now()
		err := c.synthesis.wait()(ctx, unheard)
		var limit *provisioner.LimitError
		if !errors.As(err, &limit) || time.Since(began) > limitSynthesis+time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

// Each part depends on those before it: the hint is about the first that fails.
func TestSynthesis_TimeoutNamesDependency(t *testing.T) {
	well := func(name string) state.ApplicationStatus {
		return state.ApplicationStatus{Name: name, Health: "Healthy"}
	}
	synced := func(name string) state.ApplicationStatus {
		return state.ApplicationStatus{Name: name, Health: "Healthy", Sync: "Synced"}
	}
	started := state.SynStatus{Steward: well("steward-agent"), Argo: state.ApplicationStatus{Name: "argo-cd", Health: "Missing", Message: "not started"},
		Root: state.ApplicationStatus{Name: "root", Health: "Missing", Message: "not made"}}
	unread, operated, all := started, started, started
	unread.Root = state.ApplicationStatus{Name: "root", Health: "Healthy", Sync: "Unknown", Message: "failed to list refs: EOF"}
	operated.Argo, operated.Root = state.ApplicationStatus{Name: "argo-cd", Health: "Progressing"}, synced("root")
	operated.Applications = []state.ApplicationStatus{synced("argocd")}
	all.Argo, all.Root = well("argo-cd"), synced("root")
	all.Applications = []state.ApplicationStatus{{Name: "demo", Health: "Missing", Sync: "OutOfSync", Message: "no kind"}}
	for name, c := range map[string]struct {
		seen       state.SynStatus
		says, hint string
	}{
		"no response; all":          {state.SynStatus{}, "", "the cluster's API answers"},
		"Steward does not run":      {state.SynStatus{Steward: state.ApplicationStatus{Name: "steward-agent", Health: "Degraded"}}, "steward-agent is Degraded", "pods of the Deployment steward"},
		"Steward starts nothing":    {started, "argo-cd is Missing: not started", "log of the Deployment steward"},
		"the catalog cannot be had": {unread, "argo-cd is Missing: not started; root is Healthy, sync Unknown: failed to list refs: EOF", "reach the Git host"},
		"its operator is stuck":     {operated, "argo-cd is Progressing", "syn-argocd-operator"},
		"an application is ill":     {all, "demo is Missing, sync OutOfSync: no kind", "is not retried:"},
	} {
		t.Run(name, func(t *testing.T) {
			err := connectedTo(t, &Clients{}, Deps{}).synthesis.wrapError(c.seen, &provisioner.LimitError{Err: checkSynthesis(c.seen)})
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(fault.HintOf(err), c.hint) || !strings.HasSuffix(fault.HintOf(err), "the cluster itself is running") {
				t.Errorf("%v\n%s", err, fault.HintOf(err))
			}
		})
	}
}
