package fault_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"exoshift/internal/fault"
)

func TestKindOf_OutermostWins(t *testing.T) {
	inner := fault.New(fault.NotFound, "find template rhcos", nil)
	for want, err := range map[fault.Kind]error{
		fault.NotFound:  fmt.Errorf("register the image: %w", inner),
		fault.Invalid:   fault.New(fault.Invalid, "check the sizing", inner),
		fault.Cancelled: fmt.Errorf("wait: %w", context.Canceled),
		fault.Timeout:   fmt.Errorf("wait: %w", context.DeadlineExceeded),
		fault.Internal:  errors.New("anything else"),
	} {
		if got := fault.KindOf(err); got != want {
			t.Errorf("%v is of kind %d, not %d", err, got, want)
		}
	}
	if fault.Is(nil, fault.Internal) {
		t.Error("no error is of a kind")
	}
}

func TestHintOf_FirstInChain(t *testing.T) {
	inner := fault.Newf(fault.Denied, "list zones", "403").WithHint("check EXOSCALE_API_KEY")
	outer := fault.New(fault.Internal, "start", fmt.Errorf("preflight: %w", inner))
	if got := fault.HintOf(outer); got != "check EXOSCALE_API_KEY" {
		t.Errorf("hint %q", got)
	}
	if got := fault.HintOf(outer.WithHint("try again")); got != "try again" {
		t.Errorf("hint %q", got)
	}
	if got := fault.HintOf(errors.New("x")); got != "" {
		t.Errorf("hint %q", got)
	}
}

func TestFieldOf_FirstInChain(t *testing.T) {
	inner := fault.Newf(fault.Invalid, "find the type", "none").WithField("sizing.workers.type").WithHint("choose another")
	outer := fault.New(fault.Internal, "start", fmt.Errorf("preflight: %w", inner))
	if got := fault.FieldOf(outer); got != "sizing.workers.type" {
		t.Errorf("field %q", got)
	}
	if got := fault.FieldOf(outer.WithField("cluster.id")); got != "cluster.id" {
		t.Errorf("field %q", got)
	}
	if got := fault.FieldOf(errors.New("x")); got != "" {
		t.Errorf("field %q", got)
	}
}

func TestError_OperationThenCause(t *testing.T) {
	if got := fault.Newf(fault.Quota, "create instance lb-0", "no room").Error(); got != "create instance lb-0: no room" {
		t.Error(got)
	}
	if got := fault.New(fault.Quota, "create instance lb-0", nil).Error(); got != "create instance lb-0" {
		t.Error(got)
	}
}

func TestHintOf_JoinedErrors(t *testing.T) {
	silent := fault.Newf(fault.Timeout, "wait", "in vain")
	hinted := fault.Newf(fault.Timeout, "wait for more", "in vain").WithHint("look at it").WithField("dns.acme")
	for _, err := range []error{
		errors.Join(silent, hinted),
		fmt.Errorf("run: %w", errors.Join(silent, fmt.Errorf("step: %w", hinted))),
		fault.New(fault.Conflict, "run", errors.Join(errors.New("x"), hinted)),
	} {
		if hint, field := fault.HintOf(err), fault.FieldOf(err); hint != "look at it" || field != "dns.acme" {
			t.Errorf("hint %q, field %q of %v", hint, field, err)
		}
	}
}
