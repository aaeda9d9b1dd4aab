package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/request"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/fault"
	"exoshift/state/lease"
	"exoshift/state/shared"
)

// TestOptions_ExplainHeld: exit code 16 says who, where, since when and what, and how to watch it.
func TestOptions_ExplainHeld(t *testing.T) {
	o := NewOptions(request.Request{ID: "c-demo-1", State: &sharedstate.Address{Text: "s3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io"}}, OutputPlain)
	holder := lease.Holder{Run: "5RKX2ZQ4WB7M", Verb: "destroy", User: "anna", Host: "laptop"}
	err := o.explainHeld("install", fmt.Errorf("open: %w", &lease.HeldError{Cluster: "c-demo-1", Holder: holder}))
	if exit.Code(err) != exit.Locked {
		t.Errorf("exit code %d", exit.Code(err))
	}
	if got, want := fault.HintOf(err), "watch it: exoshift attach --state 's3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io' c-demo-1"; got != want {
		t.Errorf("the hint is %q, want %q", got, want)
	}
	for _, want := range []string{"destroy by anna@laptop since 0001-01-01 00:00 UTC", "(run 5RKX2ZQ4WB7M)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message %q lacks %q", err, want)
		}
	}
	if other := context.Canceled; o.explainHeld("install", other) != other { //nolint:errorlint // it is the same one
		t.Error("another error is changed")
	}
}

// TestOptions_ReceiveStop: a run without a dashboard, as destroy, is stopped from elsewhere, too.
func TestOptions_ReceiveStop(t *testing.T) {
	var handle func(shared.Command)
	ready := make(chan struct{})
	o := Options{receive: func(_ context.Context, h func(shared.Command)) { handle = h; close(ready) }}
	ctx, stop := o.ReceiveStop(t.Context())
	defer stop()
	<-ready
	handle(shared.Command{Action: shared.CommandApproveNewKeys})
	if ctx.Err() != nil {
		t.Error("another command stops it")
	}
	handle(shared.Command{Action: shared.CommandStop})
	if ctx.Err() == nil {
		t.Error("it goes on")
	}
}
