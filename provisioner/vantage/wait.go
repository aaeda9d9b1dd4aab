package vantage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"exoshift/internal/fault"
	"exoshift/state"
)

const (
	// reportLimit bounds, by the zone's clock, how long the machine has from its start to its report.
	reportLimit = 10 * time.Minute
	// leastWall is how long it has at least on the wall clock, by which programs and their timeouts live.
	leastWall = 2 * time.Minute
	// lookEvery is how long a look at the bucket holds.
	lookEvery = 3 * time.Second
	// machineEvery is after how many of them the machine itself is looked at.
	machineEvery = 5
	mostReport   = 8 << 20 // bytes
	mostStatus   = 4 << 10
)

// ErrSilent is wrapped by what a run ends in if the machine ran and could not tell us anything: it did not reach the object
// storage, which is a finding about the zone's network.
var ErrSilent = errors.New("the machine ran and did not reach the object storage")

// vigil is a wait for a report.
type vigil struct {
	*errand
	said  []string // lines of the status
	tried int
	off   bool // the machine is no longer switched on
}

// await returns the report.
func (e *errand) await(ctx context.Context) ([]byte, error) {
	v := &vigil{errand: e}
	e.seen("the machine runs; waits until it says something")
	clock, wall := e.options.Clock.Now(), time.Now()
	for {
		if report, err := v.look(ctx); err != nil || report != nil {
			return report, err
		}
		if e.options.Clock.Now().Sub(clock) >= reportLimit && time.Since(wall) >= leastWall {
			return nil, v.late()
		}
		if err := e.options.Clock.Sleep(ctx, lookEvery); err != nil {
			return nil, fault.New(fault.KindOf(ctx.Err()), "wait for what the machine finds", err)
		}
	}
}

// look returns the report, if there is one.
func (v *vigil) look(ctx context.Context) ([]byte, error) {
	off := v.off // found out before this look: what the machine wrote is there to be seen
	if err := v.hear(ctx); err != nil {
		return nil, err
	}
	report, err := v.storage.Object(ctx, v.name(), reportKey, mostReport)
	switch {
	case err == nil:
		return report, nil
	case !fault.Is(err, fault.NotFound):
		return nil, err
	case off:
		return nil, v.gone()
	}
	if v.tried++; v.tried%machineEvery == 0 {
		v.off, err = v.switchedOff(ctx)
		return nil, err
	}
	return nil, nil
}

// hear reads how far the machine is, and tells each line once.
func (v *vigil) hear(ctx context.Context) error {
	status, err := v.storage.Object(ctx, v.name(), statusKey, mostStatus)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(status), "\n"), "\n")
	for _, line := range lines[min(len(v.said), len(lines)):] {
		v.said = append(v.said, line)
		if err := v.heard(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// heard understands a line of the status.
func (v *vigil) heard(ctx context.Context, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	const op = "run the program on a machine in the zone"
	switch word {
	case "runs":
		v.seen("the machine reaches the object storage and fetches the program")
	case "works":
		v.seen("the machine has everything and looks at the network")
		_, err := v.storage.DeleteObject(ctx, v.name(), taskKey)
		return err
	case "program-missing", "task-missing":
		return fault.New(fault.Transient, op, errors.New("the machine began to speak with the object storage, and could not download from it")).
			WithHint("run it again; if it stays like this, ask who filters what leaves the zone about %s", v.host())
	case "program-changed":
		return fault.New(fault.Conflict, op, errors.New("what the machine downloaded is not the program that was uploaded, so it did not run it")).
			WithHint("ask who inspects downloads in the zone to leave %s alone", v.host())
	case "report-lost":
		return fault.New(fault.Transient, op, errors.New("the machine is done and could not upload what it found")).WithHint("run it again")
	case "failed":
		return fault.Newf(fault.Internal, op, "it ended with %s", printable(rest)).WithHint("run it again; if it stays like this, check from another host: --vantage ssh:HOST")
	}
	return nil
}

func (e *errand) host() string { return state.ObjectStorageHost(e.options.Zone) }

// switchedOff tells whether the machine is not there any more, or does not run.
func (v *vigil) switchedOff(ctx context.Context) (bool, error) {
	machines, err := v.cloud.Instances(ctx, v.labels())
	if err != nil {
		return false, err
	}
	on := func(m state.Instance) bool { return m.State == "running" || m.State == "starting" }
	return !slices.ContainsFunc(machines, on), nil
}

// gone is what a machine ends in that is off and left no report.
func (v *vigil) gone() error {
	const op = "wait for what the machine finds"
	if len(v.said) == 0 {
		return fault.New(fault.Timeout, op, ErrSilent).WithHint("%s", v.wayOut())
	}
	return fault.New(fault.Transient, op, errors.New("the machine was switched off or deleted before it was done")).
		WithHint("make sure that nobody deletes machines that are called %s..., and run it again", prefix)
}

// late is what a machine ends in that runs and brings nothing.
func (v *vigil) late() error {
	const op = "wait for what the machine finds"
	if len(v.said) == 0 {
		return fault.New(fault.Timeout, op, ErrSilent).WithHint("%s", v.wayOut())
	}
	return fault.Newf(fault.Timeout, op, "it has said nothing more for %s", reportLimit).WithHint("run it again")
}

func (v *vigil) wayOut() string {
	return "ask who filters what leaves the zone to let machines reach https://" + v.host() +
		"; look for outgoing rules in the security groups of the nodes, too: nodes cannot be installed like this"
}

// printable makes one line of what a machine said.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
