package run

import (
	"context"
	"errors"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install"
)

func TestShouldGather_ByFaultKind(t *testing.T) {
	in := func(phase string, err error) error {
		return &provisioner.StepError{Step: provisioner.Step{ID: "x", Phase: phase}, Err: err}
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"success":             {nil, false},
		"a failed wait":       {in(install.ControlPlane, &provisioner.LimitError{Err: errors.New("2 of 3")}), true},
		"a preflight":         {in(install.Preflight, errors.New("clock")), true},
		"a stop":              {context.Canceled, false},
		"a stop in a step":    {in(install.Nodes, context.Canceled), false},
		"a human has to act":  {in(install.Infrastructure, fault.New(fault.Waiting, "delegate", nil)), false},
		"a full disk":         {errors.New("record the events"), false},
		"a step and the disk": {errors.Join(in(install.Nodes, errors.New("x")), errors.New("record")), true},
	} {
		if got := shouldGather(c.err); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
