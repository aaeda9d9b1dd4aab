package generation

import (
	"context"
	"fmt"
	"os"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

// InstanceLister reads the machines of a cluster.
type InstanceLister interface {
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
}

// Cloud is the part of Exoscale's API that replaces machines.
type Cloud interface {
	InstanceLister
	// DeleteInstance accepts a machine that is gone already, and then reports state.Found.
	DeleteInstance(ctx context.Context, id string) (state.Action, error)
}

// Renewal replaces certificates that are too old, and the machines that were started with them.
type Renewal struct {
	spec      state.Spec
	folder    state.Folder
	facts     *state.FactsStore
	cloud     Cloud
	cluster   Cluster
	clock     provisioner.Clock
	requested bool
}

// NewRenewal returns the renewal of a cluster's certificates, which does nothing unless it is requested.
func NewRenewal(spec state.Spec, folder state.Folder, facts *state.FactsStore, cloud Cloud, cluster Cluster, clock provisioner.Clock, requested bool) *Renewal {
	return &Renewal{spec: spec, folder: folder, facts: facts, cloud: cloud, cluster: cluster, clock: clock, requested: requested}
}

// IsDue reports whether the certificates are too old to start a control plane with, and are to be replaced. It is a
// fault.Conflict if the cluster runs already.
func (r *Renewal) IsDue(ctx context.Context) (bool, error) {
	created := r.facts.Get().IgnitionCreated
	if !r.requested || created.IsZero() || time.Since(created) < certificateStaleAge {
		return false, nil
	}
	stands, err := HasOnlyMasters(ctx, r.spec, r.facts.Get(), r.cloud)
	if err == nil && !stands && !r.facts.Get().IsBootstrapped() {
		stands, err = HasReached(ctx, r.cluster, r.clock, state.PhaseComplete)
	}
	switch {
	case err != nil:
		return false, err
	case stands || r.facts.Get().IsBootstrapped():
		return false, r.newStandaloneError()
	}
	return true, nil
}

const renewal = "renew the certificates"

// discard moves certificates aside that are too old to start a control plane with, if requested. Younger ones
// are kept, so that the same command line can continue after an interruption.
func (r *Renewal) discard(ctx context.Context, report provisioner.Report) error {
	old, err := r.IsDue(ctx)
	switch created := r.facts.Get().IgnitionCreated; {
	case err != nil:
		return err
	case old:
		return r.moveAside(report)
	case r.requested && !created.IsZero():
		report.EmitProgress(fmt.Sprintf("the certificates are %s old and stay", time.Since(created).Round(time.Minute)))
	}
	return nil
}

func (r *Renewal) moveAside(report provisioner.Report) error {
	old := r.folder.Path(state.InstallDir)
	// The name is not the time of their creation: a run that was stopped before it recorded the new ones may have moved
	// others aside. No machine uses those that were not recorded.
	aside := old + time.Now().UTC().Format("-20060102T150405Z")
	switch err := os.Rename(old, aside); {
	case os.IsNotExist(err): // an earlier run was stopped after this
		return nil
	case err != nil:
		return fault.New(fault.Internal, renewal, err).WithHint("move %s away manually, then run again", old)
	}
	report.EmitProgress("move the old certificates away: " + aside)
	return nil
}

// replaceMachines deletes the machines that have other certificates than those that are generated now: they would never
// trust each other. Later steps recreate them. The bootstrap machine is deleted last, so that masters without one always
// prove that the bootstrap is over and the machines are not deleted.
func (r *Renewal) replaceMachines(ctx context.Context, report provisioner.Report, rootCAHash string) error {
	if !r.requested {
		return nil
	}
	machines, err := r.cloud.ListInstances(ctx, r.spec.Labels())
	if err != nil {
		return err
	}
	var bootstrap, others []state.Instance
	for _, machine := range machines {
		switch {
		case !HasOtherCertificates(machine.Labels, rootCAHash):
		case machine.Labels[state.LabelRole] == string(state.RoleBootstrap):
			bootstrap = append(bootstrap, machine)
		default:
			others = append(others, machine)
		}
	}
	if len(others) > 0 {
		alone, err := HasOnlyMasters(ctx, r.spec, r.facts.Get(), r.cloud)
		switch {
		case err != nil:
			return err
		case alone:
			return r.newStandaloneError()
		}
	}
	for _, doomed := range [][]state.Instance{others, bootstrap} {
		err := provisioner.ForEach(ctx, doomed, func(ctx context.Context, machine state.Instance) error {
			action, err := r.cloud.DeleteInstance(ctx, machine.ID)
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

func (r *Renewal) newStandaloneError() error {
	return fault.Newf(fault.Conflict, renewal, "the cluster is running and renews them itself").
		WithHint("run again without --renew-certificates; if it never ran and its bootstrap machine was removed manually, delete it with `exoshift destroy`")
}

// HasOnlyMasters reports whether there are masters and no bootstrap machine. The bootstrap machine is created before
// the masters and deleted once they run the cluster, so masters without it prove that the bootstrap is over, even if
// the cluster does not answer; unless the facts say that the nodes come first and none was created yet.
func HasOnlyMasters(ctx context.Context, spec state.Spec, facts state.Facts, cloud InstanceLister) (bool, error) {
	if facts.NodesFirst {
		return false, nil
	}
	machines, err := cloud.ListInstances(ctx, spec.Labels())
	if err != nil {
		return false, err
	}
	roles := map[string]int{}
	for _, machine := range machines {
		roles[machine.Labels[state.LabelRole]]++
	}
	return roles[string(state.RoleMaster)] > 0 && roles[string(state.RoleBootstrap)] == 0, nil
}
