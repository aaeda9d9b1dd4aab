package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// Limits of each part of the installation. Slow disks and networks make installations exceed openshift-install's own
// limits and complete nevertheless, so these are longer.
const (
	limitAPI    = 30 * time.Minute
	limitMaster = 45 * time.Minute
	limitNodes  = 60 * time.Minute
)

func (i *Installation) pollUntil(limit time.Duration, lacks func(provisioner.Report, state.Snapshot) error) provisioner.StepFunc {
	wait := provisioner.PollUntil(i.clients.Clock, pollInterval, limit, func(ctx context.Context, report provisioner.Report) error {
		seen, err := i.poll(ctx, report)
		switch {
		case err != nil && !seen.Bootstrap.Has(state.PhaseTemporaryAPI) && seen.Bootstrap.Waiting != "":
			// The state of both access paths explains more than one error.
			return fault.New(fault.KindOf(err), seen.Bootstrap.Waiting, nil)
		case fault.Is(err, fault.Transient): // one failed poll, while servers restart, does not end a wait with progress
			return i.extendDeadline(err)
		case err != nil:
			return err
		}
		return i.extendDeadline(lacks(report, seen))
	})
	return func(ctx context.Context, report provisioner.Report) error {
		return i.wrapTimeout(ctx, wait(ctx, report))
	}
}

func (i *Installation) waitTemporaryAPI() provisioner.StepFunc {
	return i.waitPhase(limitAPI, state.PhaseTemporaryAPI)
}

func (i *Installation) waitBootstrapComplete() provisioner.StepFunc {
	return i.waitPhase(limitMaster, state.PhaseComplete)
}

func (i *Installation) waitPhase(limit time.Duration, phase string) provisioner.StepFunc {
	return i.pollUntil(limit, func(_ provisioner.Report, seen state.Snapshot) error {
		if seen.Bootstrap.Has(phase) {
			return nil
		}
		return errors.New(cmp.Or(seen.Bootstrap.Waiting, "not yet "+phase))
	})
}

func (i *Installation) checkEtcd(status state.EtcdStatus) error {
	count := len(status.Members)
	sentence := fmt.Sprintf("etcd has %d of %d members", count, i.spec.Sizing.ControlPlane.Count+1)
	if status.BlockedReason != "" {
		return errors.New(sentence + ": " + status.BlockedReason)
	}
	if status.Message != "" && status.Message != fmt.Sprintf("%d members are available", count) {
		sentence += ": " + status.Message
	}
	return errors.New(sentence)
}

func (i *Installation) waitClusterVersion() provisioner.StepFunc {
	return i.pollUntil(limitNodes, func(_ provisioner.Report, seen state.Snapshot) error {
		version := seen.Version
		switch {
		case !version.IsInstalled():
			return errors.New(cmp.Or(version.Message, "waiting for the version operator's first word"))
		case version.Total == 0:
			return errors.New("no operator has reported yet")
		case len(version.Unstable) > 0:
			return fmt.Errorf("%d of %d operators are not stable: %s", len(version.Unstable), version.Total, strings.Join(version.Unstable, ", "))
		}
		return nil
	})
}
