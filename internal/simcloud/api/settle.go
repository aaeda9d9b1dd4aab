package api

import (
	"context"
	"time"
)

// resume continues what an earlier process left unfinished.
func (a *API) resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	revive(a, &a.tables.instances)
	revive(a, &a.tables.pools)
	revive(a, &a.tables.balancers)
	revive(a, &a.tables.services)
	revive(a, &a.tables.volumes)
	revive(a, &a.tables.volumeCopies)
	revive(a, &a.tables.snapshots)
	for _, op := range a.tables.operations.all() {
		if op.Wire.State == pending {
			a.schedule(op.Due, operationNoun, op.ID)
		}
	}
	for _, t := range a.tables.templates.all() {
		if !t.Fetched {
			a.fetch(t)
		}
	}
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
	next, waiting := a.agenda.next()
	if !waiting {
		return 24 * time.Hour
	}
	return max(next.Sub(a.now()), 0)
}

// settle lets everything happen that is due: things change state, operations complete. What an error stops is tried
// again.
func (a *API) settle() error {
	now := a.now()
	for {
		appointment, due := a.agenda.due(now)
		if !due {
			return nil
		}
		if err := a.keep(appointment); err != nil {
			return err
		}
		a.agenda.strike()
	}
}

func (a *API) keep(appointment appointment) error {
	t, id := &a.tables, appointment.id
	switch appointment.noun {
	case operationNoun:
		return a.complete(id)
	case t.instances.noun:
		return arrive(a, &t.instances, id, a.removeInstance)
	case t.pools.noun:
		return arrive(a, &t.pools, id, func(p pool) error { return t.pools.delete(p.ID) })
	case t.balancers.noun:
		return arrive(a, &t.balancers, id, a.removeBalancer)
	case t.services.noun:
		return arrive(a, &t.services, id, func(s service) error { return t.services.delete(s.ID) })
	case t.volumes.noun:
		return arrive(a, &t.volumes, id, func(v volume) error { return t.volumes.delete(v.ID) })
	case t.volumeCopies.noun:
		return arrive(a, &t.volumeCopies, id, func(c volumeCopy) error { return t.volumeCopies.delete(c.ID) })
	case t.snapshots.noun:
		return arrive(a, &t.snapshots, id, func(s snapshot) error { return t.snapshots.delete(s.ID) })
	}
	return nil
}
