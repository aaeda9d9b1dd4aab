package exoscale

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/provisioner/exoscale/api"
	"exoshift/state"
)

const (
	maxParallelCreates = 5 // concurrent requests
	checksPerPoll      = 10
	// listPause is added to the pause between two lists for each instance in the zone, so that the cost of waiting grows linearly
	// with the number of instances, not quadratically.
	listPause = 20 * time.Millisecond
)

// instanceWaiter polls all instances of one call with one list.
type instanceWaiter struct {
	instances *Instances
	observer  state.InstanceObserver

	tasks     sync.WaitGroup // running creations and changes of protection
	reporting sync.Mutex     // held while a function of the observer runs

	mutex    sync.Mutex
	waiting  []*pendingInstance
	running  int   // unfinished tasks
	firstErr error // nothing new is started after it
}

func (w *instanceWaiter) createMissing(ctx context.Context, missing []state.Instance) {
	queue := make(chan state.Instance, len(missing))
	for _, wanted := range missing {
		queue <- wanted
	}
	close(queue)
	if len(missing) == 0 {
		w.reportAccepted()
	}
	var accepted atomic.Int32
	for range min(maxParallelCreates, len(missing)) {
		w.runTask(func() error {
			for wanted := range queue {
				if w.getError() != nil {
					return nil
				}
				if err := w.createInstance(ctx, wanted); err != nil {
					return err
				}
				if int(accepted.Add(1)) == len(missing) {
					w.reportAccepted()
				}
			}
			return nil
		})
	}
}

// createInstance looks for the instance after an ambiguous answer, before it requests it again.
func (w *instanceWaiter) createInstance(ctx context.Context, wanted state.Instance) error {
	isRepeated := false
	return api.Repeat(ctx, w.instances.api, "create instance "+wanted.Name, func(ctx context.Context) error {
		if isRepeated {
			live, err := w.instances.listInstances(ctx)
			if err != nil {
				return err
			}
			found, _, err := w.instances.matchExisting([]state.Instance{wanted}, live)
			if err != nil || len(found) > 0 {
				w.add(found...)
				return err
			}
		}
		isRepeated = true
		ordered, err := w.instances.requestInstance(ctx, wanted)
		if err == nil {
			w.add(w.instances.newPending(wanted, state.Created, ordered.Reference.ID, ordered.ID))
		}
		return err
	})
}

// runTask runs a task concurrently; await does not return before it has ended.
func (w *instanceWaiter) runTask(do func() error) {
	w.mutex.Lock()
	w.running++
	w.mutex.Unlock()
	w.tasks.Go(func() {
		err := do()
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.running--
		if w.firstErr == nil {
			w.firstErr = err
		}
	})
}

func (w *instanceWaiter) add(members ...*pendingInstance) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.waiting = append(w.waiting, members...)
}

func (w *instanceWaiter) getError() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.firstErr
}

func (w *instanceWaiter) recordError(err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.firstErr == nil {
		w.firstErr = err
	}
}

func (w *instanceWaiter) isDone() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.running == 0 && (w.firstErr != nil || len(w.waiting) == 0)
}

// await polls the list until all instances run or one fails. The other instances that were already requested keep starting; the
// next run finds them.
func (w *instanceWaiter) await(ctx context.Context, listed int) error {
	for !w.isDone() {
		if err := w.instances.api.Sleep(ctx, "wait for instances", listInterval(listed)); err != nil {
			w.recordError(err)
			break
		}
		members := w.takeWaiting() // before the list: it cannot contain instances requested later
		live, err := w.instances.listInstances(ctx)
		if err != nil {
			w.recordError(err)
			break
		}
		listed = len(live)
		w.poll(ctx, members, live)
		w.reportWaiting()
	}
	w.tasks.Wait()
	return w.getError()
}

func (w *instanceWaiter) takeWaiting() []*pendingInstance {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	members := w.waiting
	w.waiting = nil
	return members
}

func listInterval(listed int) time.Duration {
	return max(api.PollInterval, time.Duration(listed)*listPause)
}

func (w *instanceWaiter) poll(ctx context.Context, members []*pendingInstance, live []*v2.Instance) {
	byID := make(map[string]*v2.Instance, len(live))
	for _, instance := range live {
		byID[deref(instance.ID)] = instance
	}
	var left []*pendingInstance
	checks := checksPerPoll
	for _, m := range members {
		instance := byID[m.ID]
		if instance == nil || !isRunning(instance) {
			var err error
			if instance, err = w.checkPending(ctx, m, instance, &checks); err != nil {
				w.recordError(err)
			}
		}
		if instance != nil && isRunning(instance) {
			w.markRunning(ctx, m, instance)
			continue
		}
		left = append(left, m)
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.waiting = append(left, w.waiting...)
}

// markRunning first sets the wanted protection.
func (w *instanceWaiter) markRunning(ctx context.Context, m *pendingInstance, live *v2.Instance) {
	m.updateFrom(live)
	if !m.hasWrongProtection() {
		if _, err := w.instances.api.RecordAdoption(kindProtection, m.Name, m.ID); err != nil {
			w.recordError(err)
		}
		w.reportResult(m)
		return
	}
	w.runTask(func() error {
		if err := w.instances.setProtection(ctx, live, m.Protected); err != nil {
			return err
		}
		m.action = mergeUpdated(m.action)
		w.reportResult(m)
		return nil
	})
}

func (w *instanceWaiter) reportAccepted() {
	w.reporting.Lock()
	defer w.reporting.Unlock()
	if w.observer.Accepted != nil {
		w.observer.Accepted()
	}
}

func (w *instanceWaiter) reportResult(m *pendingInstance) {
	w.reporting.Lock()
	defer w.reporting.Unlock()
	if w.observer.Running != nil {
		w.observer.Running(m.Instance, m.action)
	}
}

func (w *instanceWaiter) reportWaiting() {
	w.mutex.Lock()
	waiting := slices.Clone(w.waiting)
	w.mutex.Unlock()
	if len(waiting) == 0 || w.observer.Waiting == nil {
		return
	}
	wait := state.InstanceWait{Since: waiting[0].since, Limit: instanceLimit}
	for _, m := range waiting {
		wait.Names = append(wait.Names, m.Name)
		if m.since.Before(wait.Since) {
			wait.Since = m.since
		}
	}
	w.reporting.Lock()
	defer w.reporting.Unlock()
	w.observer.Waiting(wait)
}
