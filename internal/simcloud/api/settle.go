package api

import (
	"context"
	"time"
)

// resume continues what an earlier process left unfinished.
func (a *API) resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, op := range a.tables.operations.all() {
		if op.Wire.State == pending {
			a.pending[op.ID] = true
		}
	}
	for _, t := range a.tables.templates.all() {
		if !t.Fetched {
			a.fetch(t)
		}
	}
	a.schedule(a.now())
	a.background(a.work)
}

// work settles what is due, whether or not anybody asks.
func (a *API) work(ctx context.Context) {
	for {
		timer := time.NewTimer(a.config.Clock.Wall(a.rest()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-a.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// rest settles what is due and returns how long nothing else will be.
func (a *API) rest() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.settle() // an error of the store comes back to whoever asks next
	if a.due.IsZero() {
		return 24 * time.Hour
	}
	return max(a.due.Sub(a.now()), 0)
}

// schedule makes sure that somebody looks at the time at.
func (a *API) schedule(at time.Time) {
	if a.due.IsZero() || at.Before(a.due) {
		a.due = at
		notify(a.wake)
	}
}

// settle lets everything happen that is due: instances change state, operations complete.
func (a *API) settle() error {
	now := a.now()
	if a.due.IsZero() || now.Before(a.due) {
		return nil
	}
	a.due = time.Time{}
	if err := a.settleInstances(now); err != nil {
		return err
	}
	return a.settleOperations(now)
}

func (a *API) settleInstances(now time.Time) error {
	for _, i := range a.tables.instances.all() {
		if i.Next == "" {
			continue
		}
		if now.Before(i.NextAt) {
			a.schedule(i.NextAt)
			continue
		}
		if err := a.arrive(i); err != nil {
			return err
		}
		a.touch()
	}
	return nil
}

// arrive puts an instance into the state that it was on the way to.
func (a *API) arrive(i instance) error {
	if i.Next == destroyed {
		return a.removeInstance(i)
	}
	i.State, i.Next = i.Next, ""
	return a.tables.instances.put(i)
}

func (a *API) settleOperations(now time.Time) error {
	for id := range a.pending {
		op, ok := a.tables.operations.table.Get(id)
		if ok && now.Before(op.Due) {
			a.schedule(op.Due)
			continue
		}
		done, err := a.complete(op)
		if err != nil {
			return err
		}
		if done {
			delete(a.pending, id)
		}
	}
	return nil
}
