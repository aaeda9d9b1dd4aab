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
	maxParallelCreates = 5 // requests for instances at a time
	checksPerPoll      = 10
	// listPause is added to the pause between two lists for each instance in the zone, so that the work of a
	// wait grows with the number of instances and not with its square.
	listPause = 20 * time.Millisecond
)

// instanceWaiter is the machines that one call waits for. All of them are looked at in one list.
type instanceWaiter struct {
	client   *Client
	onResult func(state.Instance, state.Action)

	tasks     sync.WaitGroup // orders and protections under way
	reporting sync.Mutex     // held while told runs

	mutex    sync.Mutex
	waiting  []*pendingInstance
	running  int   // errands that have not ended
	firstErr error // the first failure; nothing new is begun after it
}

// createMissing asks for the missing machines, a few at a time, and returns at once.
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

// runTask does something beside the wait, which does not end before it.
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

// isDone tells whether there is nothing to wait for: all run, or one has failed and no errand is under way.
func (f *instanceWaiter) isDone() bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.running == 0 && (f.firstErr != nil || len(f.waiting) == 0)
}

// await looks at the list until all machines run or one fails. Those that were ordered beside the one that failed
// come up by themselves; the next run finds them.
func (f *instanceWaiter) await(ctx context.Context, listed int) error {
	for !f.isDone() {
		if err := f.client.clock.Sleep(ctx, listInterval(listed)); err != nil {
			f.recordError(fault.New(fault.KindOf(ctx.Err()), "wait for instances", err))
			break
		}
		members := f.takeWaiting() // before the list: it cannot show what was ordered since
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

// takeWaiting returns the members that are waited for, and forgets them.
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

// poll compares members with a list of the zone's instances, and goes on waiting for those that do not run yet.
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

// markRunning tells of a machine that runs, after its protection is as it is wanted.
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
