package preflight

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/state"
)

// ballot is a cluster with the given state of etcd.
type ballot struct {
	etcd state.EtcdStatus
	err  error
}

func (b ballot) Poll(context.Context, netip.Addr, []state.ExpectedNode) (state.Snapshot, error) {
	return state.Snapshot{Etcd: b.etcd}, b.err
}

func members(states ...string) state.EtcdStatus {
	status := state.EtcdStatus{BootstrapRemoved: true, Message: "as told"}
	for n, member := range states {
		status.Members = append(status.Members, state.EtcdMember{Name: spec().Machines(state.RoleMaster)[n].Name, State: member})
	}
	return status
}

func TestCheckMembers_RefusesQuorumLoss(t *testing.T) {
	masters := spec().Machines(state.RoleMaster)
	for name, c := range map[string]struct {
		etcd    state.EtcdStatus
		err     error
		missing []state.Machine
		refusal string
	}{
		"two others are healthy":     {etcd: members("unhealthy", "voter", "voter"), missing: masters[:1]},
		"not noticed yet":            {etcd: members("voter", "voter", "voter"), missing: masters[:1]},
		"one other is unhealthy":     {etcd: members("unhealthy", "voter", "unhealthy"), missing: masters[:1], refusal: "1 other members of etcd are healthy, 2 are required"},
		"one other only learns":      {etcd: members("unhealthy", "voter", "learner"), missing: masters[:1], refusal: "1 other members"},
		"two are missing":            {etcd: members("voter", "voter", "voter"), missing: masters[:2], refusal: "make master-0, master-1 again: 1 other members"},
		"the API does not answer":    {err: errors.New("no leader"), missing: masters[:1], refusal: "cannot be listed: no leader"},
		"workers are none of etcd's": {err: errors.New("no leader"), missing: spec().Machines(state.RoleWorker)},
	} {
		t.Run(name, func(t *testing.T) {
			comparison := &Comparison{spec: spec(), facts: &state.FactsStore{}, clock: network.Clock{}, cluster: ballot{etcd: c.etcd, err: c.err}}
			if err := comparison.checkMembers(t.Context(), func(provisioner.Event) {}, c.missing); err != nil {
				t.Errorf("before the bootstrap is over: %v", err)
			}
			comparison.facts = state.NewFactsStore(state.Facts{BootstrapRemoved: time.Now()}, nil)
			err := comparison.checkMembers(t.Context(), func(provisioner.Event) {}, c.missing)
			if (err != nil) != (c.refusal != "") || err != nil && (!strings.Contains(err.Error(), c.refusal) || !fault.Is(err, fault.Conflict) || fault.HintOf(err) == "") {
				t.Errorf("%v\n%s", err, fault.HintOf(err))
			}
		})
	}
}
