package ceph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/rook"
)

// mons are the monitors.
type mons struct{ waits }

// moveMon has Rook replace the monitor of a node that is cordoned: its pod has no place any more, and another node gets a new one.
func (w mons) moveMon(ctx context.Context, report provisioner.Report, of Change) error {
	mons, err := w.cluster.ListCephMons(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(mons, func(m rook.Mon) bool { return m.Node == of.Node })
	if at < 0 {
		if err := w.restoreMonCheck(ctx, of.Node); err != nil {
			return err
		}
		return provisioner.Skip(of.Node + " has no monitor")
	}
	if err := w.setMonCheck(ctx, of); err != nil {
		return err
	}
	err = w.until(monLimit, func(ctx context.Context) error {
		w.renewSilence(ctx, of.Node)
		return w.checkMonMoved(ctx, of.Node)
	})(ctx, report)
	var limit *provisioner.LimitError
	if errors.As(err, &limit) {
		return fault.New(fault.Timeout, "move the monitor "+mons[at].Name+" away from "+of.Node, err).
			WithHint("see what Rook's operator says, and run the same command again: oc -n %s logs deploy/%s --tail=50", rook.OperatorNamespace, rook.Operator)
	}
	if err != nil {
		return err
	}
	report.EmitProgress("the monitor " + mons[at].Name + " of " + of.Node + " is replaced")
	return w.restoreMonCheck(ctx, of.Node)
}

// checkMonMoved evicts the monitor as long as it runs on the node, and requires that another one is in quorum in its place.
func (w mons) checkMonMoved(ctx context.Context, node string) error {
	mons, err := w.cluster.ListCephMons(ctx)
	if err != nil {
		return err
	}
	for _, mon := range mons {
		if mon.Node != node {
			continue
		}
		if mon.Ready {
			if _, err := w.cluster.EvictPod(ctx, state.Pod{Namespace: rook.Namespace, Name: mon.PodName, UID: mon.PodUID}); err != nil {
				return err
			}
		}
		return errors.New("Rook has not replaced the monitor " + mon.Name + " yet")
	}
	seen, err := w.cluster.GetCeph(ctx)
	if err == nil && (len(mons) != minNodes || len(seen.Quorum) != len(mons)) {
		err = fmt.Errorf("%d of %d monitors are in quorum", len(seen.Quorum), len(mons))
	}
	return err
}
