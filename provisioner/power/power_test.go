package power

import (
	"strings"
	"testing"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
)

// checkPlan requires these steps, each after the one before it.
func checkPlan(t *testing.T, plan provisioner.Plan, want string) {
	t.Helper()
	if err := plan.Validate(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i, step := range plan {
		if ids = append(ids, step.ID); i > 0 && (len(step.Needs) != 1 || step.Needs[0] != plan[i-1].ID) {
			t.Errorf("%s needs %v", step.ID, step.Needs)
		}
	}
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("the steps are %s", got)
	}
}

func TestGroup_IncludesEveryRoleOnce(t *testing.T) {
	balancers, masters, storage, workers := listGroups()
	for role, want := range map[state.Role]group{
		state.RoleLoadBalancer: balancers, state.RoleMaster: masters, state.RoleStorage: storage,
		state.RoleWorker: workers, state.RoleInfra: workers, "gpu": workers, state.RoleBootstrap: workers, "": workers,
	} {
		for _, of := range []group{balancers, masters, storage, workers} {
			if of.includes(role) != (of == want) {
				t.Errorf("%s includes %q: %t", of.id, role, of.includes(role))
			}
		}
	}
}

// Until the cluster notices that nodes are silent, they are as they were before the stop.
func TestStart_ReadyOnlyAfterAHeartbeat(t *testing.T) {
	started := time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)
	s := &Start{started: map[string]time.Time{"worker-0": started}}
	for beat, want := range map[time.Duration]string{-time.Hour: "has not reported since its machine was started", time.Minute: ""} {
		err := s.checkReady([]state.NodeStatus{{Name: "worker-0", Ready: true, Heartbeat: started.Add(beat)}}, []string{"worker-0"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("with a report after %s: %v", beat, err)
		}
	}
	if err := s.checkReady(nil, []string{"worker-0"}); err == nil {
		t.Error("a node that is not there is ready")
	}
}
