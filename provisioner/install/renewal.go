package install

import (
	"context"
	"fmt"
	"os"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// They are too old to start a control plane with, and are to be replaced. It is a fault.Conflict if the cluster runs
// already.
func (i *Installation) hasOutdatedCertificates(ctx context.Context) (bool, error) {
	created := i.Facts().IgnitionCreated
	if !i.options.Renew || created.IsZero() || time.Since(created) < certificateStaleAge {
		return false, nil
	}
	stands, err := i.hasOnlyMasters(ctx)
	if err == nil && !stands && !i.Facts().IsBootstrapped() {
		stands, err = i.hasReached(ctx, state.PhaseComplete)
	}
	switch {
	case err != nil:
		return false, err
	case stands || i.Facts().IsBootstrapped():
		return false, i.newStandaloneError()
	}
	return true, nil
}

const renewal = "renew the certificates"

// discardCertificates moves certificates aside that are too old to start a control plane with, if requested. Younger ones
// are kept, so that the same command line can continue after an interruption.
func (i *Installation) discardCertificates(ctx context.Context, report provisioner.Report) error {
	old, err := i.hasOutdatedCertificates(ctx)
	switch created := i.Facts().IgnitionCreated; {
	case err != nil:
		return err
	case old:
		return i.moveAside(report)
	case i.options.Renew && !created.IsZero():
		report.EmitProgress(fmt.Sprintf("the certificates are %s old and stay", time.Since(created).Round(time.Minute)))
	}
	return nil
}

func (i *Installation) moveAside(report provisioner.Report) error {
	old := i.folder.Path(state.InstallDir)
	// The name is not the time of their creation: a run that was stopped before it recorded the new ones may have moved
	// others aside. No machine uses those that were not recorded.
	aside := old + time.Now().UTC().Format("-20060102T150405Z")
	switch err := os.Rename(old, aside); {
	case os.IsNotExist(err): // an earlier run was stopped after this
		return nil
	case err != nil:
		return fault.New(fault.Internal, renewal, err).WithHint("move %s away by hand, then run again", old)
	}
	report.EmitProgress("put the old certificates aside: " + aside)
	return nil
}

// replaceMachines deletes the machines that have other certificates than those that are generated now: they would never
// trust each other. Later steps recreate them. The bootstrap machine is deleted last, so that masters without one always
// prove that the bootstrap is over and the machines are not deleted.
func (i *Installation) replaceMachines(ctx context.Context, report provisioner.Report) error {
	if !i.options.Renew {
		return nil
	}
	machines, err := i.clients.Cloud.ListInstances(ctx, i.spec.Labels())
	if err != nil {
		return err
	}
	var bootstrap, others []state.Instance
	for _, machine := range machines {
		switch {
		case !hasOtherCertificates(machine.Labels, i.ignition.RootCAHash):
		case machine.Labels[state.LabelRole] == string(state.RoleBootstrap):
			bootstrap = append(bootstrap, machine)
		default:
			others = append(others, machine)
		}
	}
	if len(others) > 0 {
		alone, err := i.hasOnlyMasters(ctx)
		switch {
		case err != nil:
			return err
		case alone:
			return i.newStandaloneError()
		}
	}
	for _, doomed := range [][]state.Instance{others, bootstrap} {
		err := provisioner.ForEach(ctx, doomed, func(ctx context.Context, machine state.Instance) error {
			action, err := i.clients.Cloud.DeleteInstance(ctx, machine.ID)
			if err != nil {
				return err
			}
			report.EmitObject(state.KindInstance, machine.Name, machine.ID, string(action))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (i *Installation) newStandaloneError() error {
	return fault.Newf(fault.Conflict, renewal, "the cluster stands on its own and renews them by itself").
		WithHint("run again without --renew-certificates; if it never stood and its bootstrap machine was removed by hand, remove it with `exoshift destroy`")
}
