package run

import (
	"context"
	"errors"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
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

func TestRun_NamesPlaceThatStays(t *testing.T) {
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	gathered := folder.Path("gathered", "20260504T145931Z")
	if got := (Run{Folder: folder}).formatPlace(gathered); got != gathered {
		t.Errorf("on this machine: %s", got)
	}
	copied := Run{Folder: folder, Private: true, Locations: handover.Locations{State: "file:///shared c-demo-1"}}
	if got := copied.formatPlace(gathered); got != "gathered/20260504T145931Z of shared state file:///shared c-demo-1" {
		t.Errorf("of a private copy: %s", got)
	}
}

func TestComputeGatherLimit_IsAboutAMinuteOfTheClock(t *testing.T) {
	if got := computeGatherLimit(network.Clock{}); got < time.Minute {
		t.Errorf("by the wall clock, the limit is %s", got)
	}
	for speed, most := range map[float64]time.Duration{60: time.Minute, 200: time.Minute, 600: 3 * time.Minute} {
		clock, stop := network.NewScaledClock(speed, time.Unix(0, 0))
		defer stop()
		slowed := time.Duration(float64(computeGatherLimit(clock)) * speed / network.WorkSlowdown)
		if slowed < time.Minute-time.Second || slowed > most+time.Second {
			t.Errorf("at %g, a machine that does not answer is waited for during %s", speed, slowed)
		}
	}
}
