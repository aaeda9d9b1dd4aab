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
	parallelOrders = 5 // requests for instances at a time
	checksPerPoll  = 10
	// listPause is added to the pause between two lists for each instance in the zone, so that the work of a
	// wait grows with the number of instances and not with its square.
	listPause = 20 * time.Millisecond
)

// fleet is the machines that one call waits for. All of them are looked at in one list.
type fleet struct {
	client *Client
	told   func(state.Instance, state.Action)

	errands sync.WaitGroup // orders and protections under way
	telling sync.Mutex     // held while told runs

	mutex   sync.Mutex
	waiting []*member
	busy    int   // errands that have not ended
	broken  error // the first failure; nothing new is begun after it
}

// order asks for the missing machines, a few at a time, and returns at once.
func (f *fleet) order(ctx context.Context, missing []state.Instance) {
	queue := make(chan state.Instance, len(missing))
	for _, wanted := range missing {
		queue <- wanted
	}
	close(queue)
	for range min(parallelOrders, len(missing)) {
		f.errand(func() error {
			for wanted := range queue {
				if f.failure() != nil {
					return nil
				}
				ordered, err := f.client.orderInstance(ctx, wanted)
				if err != nil {
					return err
				}
				f.add(f.client.newMember(wanted, state.Created, ordered.Reference.ID, ordered.ID))
			}
			return nil
		})
	}
}

// errand does something beside the wait, which does not end before it.
func (f *fleet) errand(do func() error) {
	f.mutex.Lock()
	f.busy++
	f.mutex.Unlock()
	f.errands.Go(func() {
		err := do()
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.busy--
		if f.broken == nil {
			f.broken = err
		}
	})
}

func (f *fleet) add(m *member) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.waiting = append(f.waiting, m)
}

func (f *fleet) failure() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.broken
}

func (f *fleet) fail(err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.broken == nil {
		f.broken = err
	}
}

// ended tells whether there is nothing to wait for: all run, or one has failed and no errand is under way.
func (f *fleet) ended() bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.busy == 0 && (f.broken != nil || len(f.waiting) == 0)
}

// await looks at the list until all machines run or one fails. Those that were ordered beside the one that failed
// come up by themselves; the next run finds them.
func (f *fleet) await(ctx context.Context, listed int) error {
	for !f.ended() {
		if err := f.client.clock.Sleep(ctx, listInterval(listed)); err != nil {
			f.fail(fault.New(fault.KindOf(ctx.Err()), "wait for instances", err))
			break
		}
		members := f.taken() // before the list: it cannot show what was ordered since
		live, err := f.client.instances(ctx)
		if err != nil {
			f.fail(err)
			break
		}
		listed = len(live)
		f.poll(ctx, members, live)
	}
	f.errands.Wait()
	return f.failure()
}

// taken returns the members that are waited for, and forgets them.
func (f *fleet) taken() []*member {
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
func (f *fleet) poll(ctx context.Context, members []*member, live []*v2.Instance) {
	byID := make(map[string]*v2.Instance, len(live))
	for _, instance := range live {
		byID[value(instance.ID)] = instance
	}
	var left []*member
	checks := checksPerPoll
	for _, m := range members {
		instance := byID[m.ID]
		if instance == nil || !runs(instance) {
			var err error
			if instance, err = f.client.checkPending(ctx, m, instance, &checks); err != nil {
				f.fail(err)
			}
		}
		if instance != nil && runs(instance) {
			f.arrive(ctx, m, instance)
			continue
		}
		left = append(left, m)
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.waiting = append(left, f.waiting...)
}

// arrive tells of a machine that runs, after its protection is as it is wanted.
func (f *fleet) arrive(ctx context.Context, m *member, live *v2.Instance) {
	m.see(live)
	if !m.misprotected() {
		if _, err := f.client.adopt(kindProtection, m.Name, m.ID); err != nil {
			f.fail(err)
		}
		f.tell(m)
		return
	}
	f.errand(func() error {
		if err := f.client.protect(ctx, live, m.Protected); err != nil {
			return err
		}
		m.action = updated(m.action)
		f.tell(m)
		return nil
	})
}

func (f *fleet) tell(m *member) {
	f.telling.Lock()
	defer f.telling.Unlock()
	f.told(m.Instance, m.action)
}
