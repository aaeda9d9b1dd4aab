package syn

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	windowFact       = "maintenance_window"
	customWindow     = "custom" // value of the fact for a cluster with a window of its own
	maintenanceEvery = 30 * time.Second
	limitMaintenance = 3 * time.Hour
)

// operations prepares the cluster for those who operate it: its first maintenance, and its alerts.
type operations struct {
	spec         state.Spec
	facts        *state.FactsStore
	clock        provisioner.Clock
	registration *registration
	catalog      *Catalog
	gitOps       GitOps
}

// The cluster is updated once before it is handed over, as its maintenance window would do.
func (o *operations) runFirstMaintenance(ctx context.Context, report provisioner.Report) error {
	window := o.registration.cluster.Facts[windowFact]
	switch {
	case !o.facts.Get().Syn.Maintained.IsZero():
		return provisioner.Skip("it was maintained in an earlier run")
	case window == "":
		return provisioner.Skip("Lieutenant has no fact " + windowFact + " for the cluster")
	case window == customWindow:
		return provisioner.Skip("its maintenance window is custom, and its name is not known")
	}
	var absent error
	err := waitTransient(ctx, o.clock, report, func(ctx context.Context) error {
		action, err := o.gitOps.EnsureMaintenance(ctx, window)
		if fault.Is(err, fault.NotFound) {
			absent = err
			return nil
		}
		if err == nil {
			report.EmitObject("maintenance", "first", "", string(action))
		}
		return err
	})
	if absent != nil {
		return provisioner.Skip("the cluster has no upgrade controller: " + absent.Error())
	}
	if err == nil {
		err = o.waitMaintained(ctx, report)
	}
	return wrapTimeout("run the first maintenance", "check that the catalog has the UpgradeConfig "+window+
		", which the fact "+windowFact+" names, and that its controller runs, then run again", err)
}

func (o *operations) waitMaintained(ctx context.Context, report provisioner.Report) error {
	var failed error
	err := provisioner.PollUntil(o.clock, maintenanceEvery, limitMaintenance, func(ctx context.Context, _ provisioner.Report) error {
		seen, err := o.gitOps.GetMaintenance(ctx)
		switch {
		case err != nil:
			return err
		case seen.State == "Succeeded":
			return nil
		case seen.State == "Failed":
			failed = fault.Newf(fault.Conflict, "run the first maintenance", "%s", cmp.Or(seen.Message, "the upgrade failed")).
				WithHint("check the UpgradeJobs in appuio-openshift-upgrade-controller, then run again")
			return nil
		}
		return errors.New(cmp.Or(seen.Message, strings.ToLower(seen.State), "it has not begun"))
	})(ctx, report)
	if err = errors.Join(failed, err); err != nil {
		return err
	}
	if _, err := o.gitOps.EndMaintenance(ctx); err != nil {
		return err
	}
	return o.facts.UpdateSyn(func(facts *state.SynFacts) { facts.Maintained = now(o.clock) })
}
