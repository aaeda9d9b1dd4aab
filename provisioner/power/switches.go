package power

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/rook"
)

// Kinds of what is switched for a stop, in the journal.
const (
	kindCeph    = "ceph"
	kindUpgrade = "upgradeconfig"
)

// answerLimit is for how long a call is made again that got no answer.
const answerLimit = 2 * time.Minute

// do makes a call that the journal has before it, again while it gets no answer. All of them may be repeated.
func (r *run) do(ctx context.Context, kind, name string, call func(context.Context) error) error {
	if err := r.journal.RecordIntent(kind, name); err != nil {
		return err
	}
	if err := r.repeat(answerLimit, func(ctx context.Context, _ provisioner.Report) error { return call(ctx) })(ctx, func(provisioner.Event) {}); err != nil {
		return err
	}
	return r.journal.RecordResult(kind, name, name, state.Updated)
}

// setFlags sets those flags that nobody else has set, and records each before.
func (s *Stop) setFlags(ctx context.Context, report provisioner.Report) error {
	switch {
	case s.IsCommitted():
		return provisioner.Skip("machines were stopped already")
	case !s.review.Ceph:
		return provisioner.Skip("the cluster has no Ceph of Project Syn")
	}
	var seen rook.Ceph
	err := s.repeat(answerLimit, func(ctx context.Context, _ provisioner.Report) (err error) {
		seen, err = s.getCeph(ctx)
		return err
	})(ctx, report)
	if err != nil {
		return err
	}
	for _, flag := range listCephFlags() {
		if !slices.Contains(s.hibernation().Flags, flag) {
			if slices.Contains(seen.Flags(), flag) {
				report.EmitProgress(flag + " is set already, and stays so after the start")
				continue
			}
			if err := s.update(func(h *state.Hibernation) { h.Flags = append(h.Flags, flag) }); err != nil {
				return err
			}
		}
		if err := s.do(ctx, kindCeph, flag, func(ctx context.Context) error { return s.clients.Cluster.RunCeph(ctx, "osd", "set", flag) }); err != nil {
			return err
		}
		report.EmitProgress("Ceph has the flag " + flag)
	}
	return nil
}

// getCeph returns a temporary failure for whatever keeps Ceph from answering: its pods may be starting.
func (r *run) getCeph(ctx context.Context) (rook.Ceph, error) {
	seen, err := r.clients.Cluster.GetCeph(ctx)
	if err != nil && ctx.Err() == nil {
		err = fault.New(fault.Transient, "ask Ceph", err)
	}
	return seen, err
}

// endFlags waits until every OSD is up: without the flags, Ceph would make the copies again of those that are not.
func (s *Start) endFlags(ctx context.Context, report provisioner.Report) error {
	flags := s.hibernation().Flags
	if len(flags) == 0 {
		return provisioner.Skip("the stop has set none")
	}
	err := s.repeat(nodesLimit, func(ctx context.Context, _ provisioner.Report) error {
		seen, err := s.getCeph(ctx)
		if err != nil {
			return err
		}
		return checkOSDs(seen)
	})(ctx, report)
	var late *provisioner.LimitError
	if errors.As(err, &late) {
		return fault.New(fault.Timeout, "wait for the OSDs of Ceph", err).
			WithHint("Ceph keeps %s until all of them are up: see ceph osd tree; then run the same command again", strings.Join(flags, " and "))
	}
	if err != nil {
		return err
	}
	return s.unsetFlags(ctx, report)
}

func checkOSDs(seen rook.Ceph) error {
	var down []string
	for _, osd := range seen.OSDs {
		if !osd.Up {
			down = append(down, fmt.Sprintf("osd.%d of %s", osd.ID, osd.Host))
		}
	}
	if len(down) > 0 || len(seen.OSDs) == 0 {
		return fault.Newf(fault.Transient, "wait for the OSDs of Ceph", "%d of %d are up; down: %s", len(seen.OSDs)-len(down), len(seen.OSDs), strings.Join(down, ", "))
	}
	return nil
}

// unsetFlags unsets the flags that a stop has set, and forgets them.
func (r *run) unsetFlags(ctx context.Context, report provisioner.Report) error {
	for _, flag := range r.hibernation().Flags {
		if err := r.do(ctx, kindCeph, flag, func(ctx context.Context) error { return r.clients.Cluster.RunCeph(ctx, "osd", "unset", flag) }); err != nil {
			return fault.New(fault.KindOf(err), "unset the flag "+flag+" of Ceph", err).
				WithHint("run the same command again, or do it by hand: oc -n %s exec deploy/rook-ceph-tools -- ceph osd unset %s", rook.Namespace, flag)
		}
		report.EmitObject(kindCeph, flag, "", string(state.Updated))
		if err := r.update(func(h *state.Hibernation) { h.Flags = remove(h.Flags, flag) }); err != nil {
			return err
		}
	}
	return nil
}

// suspendUpgrades keeps an update that was missed from beginning during the start, and records each UpgradeConfig before.
func (s *Stop) suspendUpgrades(ctx context.Context, report provisioner.Report) error {
	if s.IsCommitted() {
		return provisioner.Skip("machines were stopped already")
	}
	names := slices.Concat(s.hibernation().Suspended, s.review.Upgrades)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return provisioner.Skip("none is scheduled")
	}
	for _, name := range names {
		if !slices.Contains(s.hibernation().Suspended, name) {
			if err := s.update(func(h *state.Hibernation) { h.Suspended = append(h.Suspended, name) }); err != nil {
				return err
			}
		}
		if err := s.do(ctx, kindUpgrade, name, func(ctx context.Context) error { return s.clients.Cluster.SuspendUpgrades(ctx, name, true) }); err != nil {
			return err
		}
		report.EmitObject(kindUpgrade, name, "", string(state.Updated))
	}
	return nil
}

// endSuspension comes last: while they are suspended, the upgrade controller skips what was missed.
func (s *Start) endSuspension(ctx context.Context, report provisioner.Report) error {
	if len(s.hibernation().Suspended) == 0 {
		return provisioner.Skip("the stop has suspended none")
	}
	if err := s.resumeUpgrades(ctx, report); err != nil {
		return err
	}
	return s.forget()
}

// resumeUpgrades ends the suspensions of a stop, and forgets them. An UpgradeConfig that is gone needs none.
func (r *run) resumeUpgrades(ctx context.Context, report provisioner.Report) error {
	for _, name := range r.hibernation().Suspended {
		err := r.do(ctx, kindUpgrade, name, func(ctx context.Context) error { return r.clients.Cluster.SuspendUpgrades(ctx, name, false) })
		if err != nil && !fault.Is(err, fault.NotFound) {
			return fault.New(fault.KindOf(err), "end the suspension of the UpgradeConfig "+name, err).
				WithHint("run the same command again, or set spec.schedule.suspend of it to false by hand")
		}
		report.EmitObject(kindUpgrade, name, "", string(state.Updated))
		if err := r.update(func(h *state.Hibernation) { h.Suspended = remove(h.Suspended, name) }); err != nil {
			return err
		}
	}
	return nil
}

func remove(names []string, name string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == name })
}
