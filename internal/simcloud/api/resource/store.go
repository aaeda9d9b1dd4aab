package api

import (
	"context"
	"time"
)

func (a *API) resume() {
	a.mu.Lock()
	defer a.mu.Unlock()
	resumeTransitions(a, &a.tables.instances)
	resumeTransitions(a, &a.tables.pools)
	resumeTransitions(a, &a.tables.balancers)
	resumeTransitions(a, &a.tables.services)
	resumeTransitions(a, &a.tables.volumes)
	resumeTransitions(a, &a.tables.volumeCopies)
	resumeTransitions(a, &a.tables.snapshots)
	for _, op := range a.tables.operations.listAll() {
		if op.Wire.State == pending {
			a.schedule(op.Due, operationNoun, op.ID)
		}
	}
	for _, t := range a.tables.templates.listAll() {
		if !t.Fetched {
			a.fetch(t)
		}
	}
	a.background(a.runScheduler)
}

// runScheduler completes what is due without waiting for a request.
func (a *API) runScheduler(ctx context.Context) {
	for {
		timer := time.NewTimer(a.config.Clock.ToWall(a.nextDelay()))
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

// nextDelay completes what is due and returns the time until the next task.
func (a *API) nextDelay() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.runDueTasks() // an error of the store is returned to the next request
	next, waiting := a.scheduler.next()
	if !waiting {
		return 24 * time.Hour
	}
	return max(next.Sub(a.now()), 0)
}

// runDueTasks executes what is due: transitions and operations. A task that fails is retried.
func (a *API) runDueTasks() error {
	now := a.now()
	for {
		appointment, due := a.scheduler.nextDue(now)
		if !due {
			return nil
		}
		if err := a.runTask(appointment); err != nil {
			return err
		}
		a.scheduler.pop()
	}
}

func (a *API) runTask(appointment task) error {
	t, id := &a.tables, appointment.id
	switch appointment.noun {
	case operationNoun:
		return a.complete(id)
	case t.instances.noun:
		return completeTransition(a, &t.instances, id, a.removeInstance)
	case t.pools.noun:
		return completeTransition(a, &t.pools, id, func(p pool) error { return t.pools.delete(p.ID) })
	case t.balancers.noun:
		return completeTransition(a, &t.balancers, id, a.removeBalancer)
	case t.services.noun:
		return completeTransition(a, &t.services, id, func(s service) error { return t.services.delete(s.ID) })
	case t.volumes.noun:
		return completeTransition(a, &t.volumes, id, func(v volume) error { return t.volumes.delete(v.ID) })
	case t.volumeCopies.noun:
		return completeTransition(a, &t.volumeCopies, id, func(c volumeCopy) error { return t.volumeCopies.delete(c.ID) })
	case t.snapshots.noun:
		return completeTransition(a, &t.snapshots, id, func(s snapshot) error { return t.snapshots.delete(s.ID) })
	}
	return nil
}
