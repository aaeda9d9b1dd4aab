package nodes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
)

// selectEvictable leaves out pods that end with the node: of DaemonSets, of the node's own disk, and those that have ended.
func selectEvictable(pods []state.Pod) []state.Pod {
	var left []state.Pod
	for _, pod := range pods {
		if !pod.Mirror && !pod.Finished && !strings.HasPrefix(pod.Owner, "DaemonSet/") && !strings.HasPrefix(pod.Owner, "Node/") {
			left = append(left, pod)
		}
	}
	return left
}

// drain evicts the pods of a node and waits until they are gone. What a budget does not permit is asked for again.
func (r *Removal) drain(ctx context.Context, report provisioner.Report, t Target) error {
	if t.isStopped() {
		return provisioner.Skip("nothing runs there")
	}
	evicted := map[string]bool{}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	unlimited := false // a person decided to wait for longer than the timeout
	err := provisioner.PollUntil(r.clients.Clock, pollInterval, r.options.Timeout, func(ctx context.Context, report provisioner.Report) error {
		err := r.evictAll(ctx, report, t, evicted)
		if err == nil {
			return nil
		}
		switch r.observer.getReply(t.Name) {
		case "":
		case provisioner.ReplyStop:
			giveUp(fmt.Errorf("a person decided to give it up: %w", err))
		default:
			unlimited = true
		}
		if unlimited {
			return provisioner.Progressing(err)
		}
		return err
	})(ctx, report)
	if err == nil {
		r.observer.observe(report, t.Name, obstacles{})
	}
	var limit *provisioner.LimitError
	if errors.As(err, &limit) {
		return fault.New(fault.Timeout, "drain "+t.Name, err).
			WithHint("make room for these pods elsewhere, or have their owners give up the budget; then run the same command again")
	}
	return err
}

// evictAll returns nil once no pod is left that has to go elsewhere; its error says what is left.
func (r *Removal) evictAll(ctx context.Context, report provisioner.Report, t Target, evicted map[string]bool) error {
	pods, err := r.clients.Cluster.ListNodePods(ctx, t.Name)
	if err != nil {
		return err
	}
	var blocked, ending []string
	var held []diagnosis.HeldPod
	for _, pod := range selectEvictable(pods) {
		if err := r.checkConsent(t, pod); err != nil {
			blocked = append(blocked, err.Error())
			continue
		}
		if !evicted[pod.UID] {
			one, err := r.evict(ctx, report, t, pod)
			if err != nil {
				return err
			}
			if one != nil {
				held = append(held, *one)
				blocked = append(blocked, fmt.Sprintf("%s of %s: %s", pod.ID(), formatOwner(pod), one.Reason))
				continue
			}
			evicted[pod.UID] = true
		}
		ending = append(ending, pod.ID())
	}
	r.observer.observe(report, t.Name, obstacles{held: held})
	left := len(blocked) + len(ending)
	r.progress.emit(report, t, provisioner.Event{State: provisioner.TargetDraining, Count: &left, Evidence: blocked})
	switch {
	case len(blocked) > 0:
		return fmt.Errorf("%d pods stay for now: %s", len(blocked), strings.Join(blocked, "; "))
	case len(ending) > 0:
		return fmt.Errorf("%d pods are ending: %s", len(ending), formatNames(ending))
	}
	return nil
}

// evict returns the pod if it cannot be evicted now.
func (r *Removal) evict(ctx context.Context, report provisioner.Report, t Target, pod state.Pod) (*diagnosis.HeldPod, error) {
	action, reason, err := r.routers.evict(ctx, pod)
	var refused *state.EvictionBlockedError
	switch {
	case errors.As(err, &refused):
		return &diagnosis.HeldPod{Pod: pod, Node: t.Name, Reason: refused.Message}, nil
	case err != nil:
		return nil, err
	case reason != "":
		return &diagnosis.HeldPod{Pod: pod, Node: t.Name, Router: true, Reason: reason}, nil
	case action == state.Deleted:
		report.EmitProgress("evicted " + pod.ID())
	}
	return nil, nil
}

// checkConsent is about pods that came after the plan was agreed to.
func (r *Removal) checkConsent(t Target, pod state.Pod) error {
	switch {
	case t.isCommitted(), isOfCeph(pod):
		return nil
	case pod.Owner == "" && !r.options.Force:
		return fmt.Errorf("%s: nobody makes it again, and --force was not given", pod.ID())
	case pod.EmptyDir && !r.options.DeleteEmptyDir:
		return fmt.Errorf("%s: it loses what it keeps on the node, and --delete-emptydir-data was not given", pod.ID())
	}
	return nil
}

func formatNames(names []string) string {
	const enough = 5
	if len(names) <= enough {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
}
