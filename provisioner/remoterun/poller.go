package remoterun

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/state"
)

const (
	// bootLimit bounds, by the zone's clock, what the time from the machine's start to its report has beside that of the program.
	bootLimit = 5 * time.Minute
	// minWallTime is its minimum on the wall clock, which programs and their timeouts use.
	minWallTime = 2 * time.Minute
	// pollInterval is the interval between two polls of the bucket.
	pollInterval = 3 * time.Second
	// machineEvery is after how many of them the machine itself is polled.
	machineEvery = 5
	maxReport    = 8 << 20 // bytes
	maxStatus    = 4 << 10
)

// ErrNoContact is wrapped by the error of a run whose machine ran but did not reach the object storage, which is a finding about
// the zone's network.
var ErrNoContact = errors.New("the machine was running, but did not reach the object storage")

type poller struct {
	*run
	statusLines []string // lines of the status
	tried       int
	machineOff  bool // the machine is no longer running
}

func (v *poller) reportLimit() time.Duration { return bootLimit + v.options.Job.Limit }

// await polls until the machine has reported.
func (v *poller) await(ctx context.Context) ([]byte, error) {
	v.progress("the machine is running; waiting for its first report")
	clock, wall := v.options.Clock.Now(), time.Now()
	for {
		if report, err := v.poll(ctx); err != nil || report != nil {
			return report, err
		}
		if v.options.Clock.Now().Sub(clock) >= v.reportLimit() && time.Since(wall) >= minWallTime {
			return nil, v.newTimeoutError()
		}
		if err := v.options.Clock.Sleep(ctx, pollInterval); err != nil {
			return nil, fault.New(fault.KindOf(ctx.Err()), "wait for the machine's report", err)
		}
	}
}

func (v *poller) poll(ctx context.Context) ([]byte, error) {
	off := v.machineOff // before this poll: what the machine wrote until then is visible now
	if err := v.readStatus(ctx); err != nil {
		return nil, err
	}
	report, err := v.storage.GetObject(ctx, v.name(), reportKey, maxReport)
	switch {
	case err == nil:
		return report, nil
	case !fault.Is(err, fault.NotFound):
		return nil, err
	case off:
		return nil, v.newMachineGoneError()
	}
	if v.tried++; v.tried%machineEvery == 0 {
		v.machineOff, err = v.isMachineOff(ctx)
		return nil, err
	}
	return nil, nil
}

// readStatus reports each line once.
func (v *poller) readStatus(ctx context.Context) error {
	status, err := v.storage.GetObject(ctx, v.name(), statusKey, maxStatus)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(status), "\n"), "\n")
	for _, line := range lines[min(len(v.statusLines), len(lines)):] {
		v.statusLines = append(v.statusLines, line)
		if err := v.handleStatus(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

func (v *poller) handleStatus(ctx context.Context, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	const op = "run the program on a machine in the zone"
	switch word {
	case "runs":
		v.progress("the machine reaches the object storage and downloads the program")
	case "works":
		v.progress("the machine has the program and " + v.options.Job.Does)
		_, err := v.storage.DeleteObject(ctx, v.name(), taskKey)
		return err
	case "program-missing", "task-missing":
		return fault.New(fault.Transient, op, errors.New("the machine reached the object storage, but could not download from it")).
			WithHint("run it again; if the problem persists, ask the network team about outgoing connections from the zone to %s", v.storageHost())
	case "program-changed":
		return fault.New(fault.Conflict, op, errors.New("the program that the machine downloaded differs from the uploaded one, so it was not run")).
			WithHint("ask the operator of the download inspection in the zone to exempt %s", v.storageHost())
	case "report-lost":
		return fault.New(fault.Transient, op, errors.New("the machine has finished, but could not upload its results")).WithHint("run it again")
	case "failed":
		return fault.Newf(fault.Internal, op, "its exit status was %s", text.Sanitize(rest)).WithHint("run it again; if the problem persists, %s", v.options.Job.Instead)
	}
	return nil
}

func (v *poller) isMachineOff(ctx context.Context) (bool, error) {
	machines, err := v.cloud.ListInstances(ctx, v.labels())
	if err != nil {
		return false, err
	}
	on := func(m state.Instance) bool { return m.State == "running" || m.State == "starting" }
	return !slices.ContainsFunc(machines, on), nil
}

func (v *poller) newMachineGoneError() error {
	const op = "wait for the machine's report"
	if len(v.statusLines) == 0 {
		return fault.New(fault.Timeout, op, ErrNoContact).WithHint("%s", v.blockedHint())
	}
	return fault.New(fault.Transient, op, errors.New("the machine was stopped or deleted before it had finished")).
		WithHint("check who deletes machines named %s..., and run it again", prefix)
}

func (v *poller) newTimeoutError() error {
	const op = "wait for the machine's report"
	if len(v.statusLines) == 0 {
		return fault.New(fault.Timeout, op, ErrNoContact).WithHint("%s", v.blockedHint())
	}
	return fault.Newf(fault.Timeout, op, "it has not reported for %s", v.reportLimit()).WithHint("run it again")
}

func (v *poller) blockedHint() string {
	return "ask the network team to allow outgoing connections from the zone to https://" + v.storageHost() +
		"; also check the security groups of the nodes for egress rules: nodes could not be installed either"
}
