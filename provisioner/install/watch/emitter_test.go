package watch

import (
	"fmt"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
)

func TestEmitSkippedCSR_FloodIsEmittedOnce(t *testing.T) {
	r := &approver{}
	counts := map[provisioner.Type]int{}
	report := func(e provisioner.Event) { counts[e.Type]++ }
	for range 3 { // polls
		for n := range 5000 {
			r.emitSkippedCSR(report, state.NodeRequest{Name: fmt.Sprint("csr-", n), State: state.RequestPending, BlockedReason: "forged"})
		}
	}
	if counts[provisioner.TypeCSR] != maxSkippedCSRs || counts[provisioner.TypeStep]+counts[""] != 1 {
		t.Errorf("told %v", counts)
	}
	r.emitSkippedCSR(report, state.NodeRequest{Name: "csr-7", State: state.RequestPending, BlockedReason: "something else"})
	if counts[provisioner.TypeCSR] != maxSkippedCSRs+1 {
		t.Error("a new reason of a request that was told is not told")
	}
}
