package exit

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install"
	"exoshift/state"
)

func TestWithCode_ByFaultKind(t *testing.T) {
	in := func(phase string, err error) error {
		return fmt.Errorf("run: %w", &provisioner.StepError{Step: provisioner.Step{ID: "x", Phase: phase}, Err: err})
	}
	gaveUp := &provisioner.LimitError{Limit: time.Hour, Err: errors.New("no answer")}
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"success":                       {nil, 0},
		"a defect":                      {errors.New("surprise"), 1},
		"usage":                         {WithCode(Usage, errors.New("no such flag")), 2},
		"faulty answers":                {WithCode(Answers, errors.New("3 faults")), 3},
		"answers the zone cannot serve": {in(install.Preflight, fault.New(fault.Invalid, "check types", nil)), 3},
		"checks with warnings":          {MarkPrinted(WithCode(Warnings, errors.New("slow"))), 4},
		"checks with failures":          {MarkPrinted(WithCode(Checks, errors.New("blocked"))), 5},
		"something out of reach":        {in(install.Preflight, fault.New(fault.Conflict, "reach", nil)), 5},
		"a check without an answer":     {in(install.Preflight, fault.New(fault.Transient, "list zones", nil)), 5},
		"refused credentials":           {in(install.Preflight, fault.New(fault.Denied, "list zones", nil)), 6},
		"a missing permission":          {in(install.Infrastructure, fault.New(fault.Denied, "create", nil)), 6},
		"a quota":                       {in(install.Preflight, fault.New(fault.Quota, "check quotas", nil)), 7},
		"capacity":                      {in(install.Nodes, fault.New(fault.Quota, "create instance", nil)), 7},
		"infrastructure":                {in(install.Infrastructure, fault.New(fault.Conflict, "create", nil)), 10},
		"bootstrap":                     {in(install.Bootstrap, gaveUp), 11},
		"control plane":                 {in(install.ControlPlane, gaveUp), 12},
		"nodes":                         {in(install.Nodes, gaveUp), 13},
		"operators":                     {in(install.Operators, gaveUp), 14},
		"leftovers":                     {in(destroy.Phase, fault.New(fault.Conflict, "delete", &destroy.LeftoverError{})), 15},
		"a teardown without permission": {in(destroy.Phase, fault.New(fault.Denied, "list", nil)), 6},
		"a held folder":                 {&state.LockedError{Path: "x"}, 16},
		"a human":                       {in(install.Infrastructure, fault.New(fault.Waiting, "delegate", nil)), 20},
		"an interruption":               {in(install.Nodes, context.Canceled), 130},
		"an interruption before":        {context.Canceled, 130},
		"the first of several failures": {errors.Join(in(install.ControlPlane, gaveUp), in(install.Bootstrap, gaveUp)), 12},
	} {
		if got := Code(c.err); got != c.want {
			t.Errorf("%s: %d, not %d", name, got, c.want)
		}
	}
}
