package exoscale

import (
	"context"
	"sync"
	"time"

	v2 "github.com/exoscale/egoscale/v2"

	"exoshift/internal/fault"
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
	client   *Client
	onResult func(state.Instance, state.Action)

	tasks     sync.WaitGroup // running creations and changes of protection
	reporting sync.Mutex     // held while told runs

	mutex    sync.Mutex
	waiting  []*pendingInstance
	running  int   // unfinished tasks
	firstErr error // nothing new is started after it
}

func (f *instanceWaiter) createMissing(ctx context.Context, missing []state.Instance) {
	queue := make(chan state.Instance, len(missing))
	for _, wanted := range missing {
		queue <- wanted
	}
	close(queue)
	for range min(maxParallelCreates, len(missing)) {
		f.runTask(func() error {
			for wanted := range queue {
				if f.getError() != nil {
					return nil
				}
				ordered, err := f.client.requestInstance(ctx, wanted)
				if err != nil {
					return err
				}
				f.add(f.client.newPendingInstance(wanted, state.Created, ordered.Reference.ID, ordered.ID))
			}
			return nil
		})
	}
}

// runTask runs a task concurrently; await does not return before it has ended.
func (f *instanceWaiter) runTask(do func() error) {
	f.mutex.Lock()
	f.running++
	f.mutex.Unlock()
	f.tasks.Go(func() {
		err := do()
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.running--
		if f.firstErr == nil {
			f.firstErr = err
		}
	})
}

func (f *instanceWaiter) add(m *pendingInstance) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.waiting = append(f.waiting, m)
}

func (f *instanceWaiter) getError() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.firstErr
}

func (f *instanceWaiter) recordError(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.firstErr == nil {
		f.firstErr = err
	}
}

func (f *instanceWaiter) isDone() bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.running == 0 && (f.firstErr != nil || len(f.waiting) == 0)
}

// await polls the list until all instances run or one fails. The other instances that were already requested keep starting; the
// next run finds them.
func (f *instanceWaiter) await(ctx context.Context, listed int) error {
	for !f.isDone() {
		if err := f.client.clock.Sleep(ctx, listInterval(listed)); err != nil {
			f.recordError(fault.New(fault.KindOf(ctx.Err()), "wait for instances", err))
			break
		}
		members := f.takeWaiting() // before the list: it cannot contain instances requested later
		live, err := f.client.listInstances(ctx)
		if err != nil {
			f.recordError(err)
			break
		}
		listed = len(live)
		f.poll(ctx, members, live)
	}
	f.tasks.Wait()
	return f.getError()
}

func (f *instanceWaiter) takeWaiting() []*pendingInstance {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	members := f.waiting
	f.waiting = nil
	return members
}

func listInterval(listed int) time.Duration {
	return max(pollInterval, time.Duration(listed)*listPause)
}

func (f *instanceWaiter) poll(ctx context.Context, members []*pendingInstance, live []*v2.Instance) {
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
			if instance, err = f.client.checkPending(ctx, m, instance, &checks); err != nil {
				f.recordError(err)
			}
		}
		if instance != nil && isRunning(instance) {
			f.markRunning(ctx, m, instance)
			continue
		}
		left = append(left, m)
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.waiting = append(left, f.waiting...)
}

// markRunning first sets the wanted protection.
func (f *instanceWaiter) markRunning(ctx context.Context, m *pendingInstance, live *v2.Instance) {
	m.updateFrom(live)
	if !m.hasWrongProtection() {
		if _, err := f.client.recordAdoption(kindProtection, m.Name, m.ID); err != nil {
			f.recordError(err)
		}
		f.reportResult(m)
		return
	}
	f.runTask(func() error {
		if err := f.client.setProtection(ctx, live, m.Protected); err != nil {
			return err
		}
		m.action = mergeUpdated(m.action)
		f.reportResult(m)
		return nil
	})
}

func (f *instanceWaiter) reportResult(m *pendingInstance) {
	f.reporting.Lock()
	defer f.reporting.Unlock()
	f.onResult(m.Instance, m.action)
}
