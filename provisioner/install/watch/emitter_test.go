package watch

import (
	"fmt"
	"testing"

	"exoshift/provisioner"
	"exoshift/state"
)

func TestEmitSkippedCSR_FloodIsEmittedOnce(t *testing.T) {
	r := &approver{}
	reported := map[provisioner.Type]int{}
	report := func(e provisioner.Event) { reported[e.Type]++ }
	for range 3 { // polls
		for n := range 5000 {
			r.emitSkippedCSR(report, state.NodeRequest{Name: fmt.Sprint("csr-", n), State: state.RequestPending, BlockedReason: "forged"})
		}
	}
	if reported[provisioner.TypeCSR] != maxSkippedCSRs || reported[provisioner.TypeStep]+reported[""] != 1 {
		t.Errorf("told %v", reported)
	}
	r.emitSkippedCSR(report, state.NodeRequest{Name: "csr-7", State: state.RequestPending, BlockedReason: "something else"})
	if reported[provisioner.TypeCSR] != maxSkippedCSRs+1 {
		t.Error("a new reason of a request that was told is not told")
	}
}
