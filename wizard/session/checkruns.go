package session

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

// CheckRuns are the checks before an installation: those from this machine, and the ones of connectivity from a small machine in the
// zone.
type CheckRuns struct {
	Local, Zone *CheckRun

	session  *Session
	zoneWork sync.RWMutex // held for reading while the machine of a run may exist
	zoneLeft atomic.Int32 // runs whose machine may exist
}

func newCheckRuns(s *Session, now func() time.Time) *CheckRuns {
	return &CheckRuns{
		session: s, Local: &CheckRun{attempt: attempt{session: s, now: now}}, Zone: &CheckRun{attempt: attempt{session: s, now: now}},
	}
}

// StartLocal runs all checks from this machine. The results from the zone stay, as long as they are about the present answers.
func (c *CheckRuns) StartLocal(events CheckEvents) Work {
	if !c.Zone.IsRunning() {
		if c.Zone.failures = nil; !c.Zone.IsCurrent() {
			c.Zone.clear()
		}
	}
	local := c.Local
	return local.start(c.session.Interview.Check, func(err error) {
		if !slices.ContainsFunc(local.steps, func(step CheckStep) bool { return step.State == provisioner.Failed }) {
			local.failures = []CheckStep{newFailure("Run the checks", err)}
		}
	}, events)
}

// CanCheckZone reports whether a run from the zone can be started; if not, why, or nothing if there is nothing to say.
func (c *CheckRuns) CanCheckZone() (why string, ok bool) {
	switch {
	case c.session.Interview.CheckFromZone == nil || c.Zone.IsRunning():
		return "", false
	case c.IsZoneLeft():
		return "The instance of the last check is still being deleted. Try again in a moment.", false
	}
	return "", true
}

// ZoneTerms describes what a run from the zone does and costs: it is to be confirmed.
func (c *CheckRuns) ZoneTerms() string {
	if terms := c.session.Interview.ZoneTerms; terms != nil {
		return terms(c.session.Spec())
	}
	return "Starts a small temporary instance in the zone and deletes it afterwards."
}

// StartZone runs the checks of connectivity from the zone, if CanCheckZone. A run that could not be made blocks nothing.
func (c *CheckRuns) StartZone(events CheckEvents) Work {
	check, zone := c.session.Interview.CheckFromZone, c.Zone
	c.zoneLeft.Add(1)
	return zone.start(func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, emit func(wizard.CheckState)) error {
		c.zoneWork.RLock()
		defer c.zoneWork.RUnlock()
		defer c.zoneLeft.Add(-1)
		return check(ctx, spec, secrets, emit)
	}, func(err error) {
		failure := newFailure("Check from the zone", err)
		failure.State, failure.Warning = provisioner.Done, true
		zone.known, zone.failures = false, []CheckStep{failure}
	}, events)
}

// IsZoneLeft reports whether the machine of a run from the zone may still exist.
func (c *CheckRuns) IsZoneLeft() bool { return c.zoneLeft.Load() > 0 }

// WaitZone waits until no machine of a run is left in the zone.
func (c *CheckRuns) WaitZone() {
	c.zoneWork.Lock()
	defer c.zoneWork.Unlock()
}

// Stop cancels both runs.
func (c *CheckRuns) Stop() {
	c.Local.Stop()
	c.Zone.Stop()
}

// Skip adds a skipped check to the answers, or returns what is wrong with that; reason ends with the day from which on the check
// is made again. Results from the zone stay valid: skipping a check changes none of the others.
func (c *CheckRuns) Skip(id, reason string) error {
	isCurrent := c.Zone.IsCurrent()
	if err := SkipCheck(c.session, id, reason); err != nil {
		return err
	}
	skip, err := reach.ParseSkip(reason)
	if err != nil {
		return err
	}
	skip.ID = id
	c.Local.skip(skip)
	if c.Zone.skip(skip); isCurrent {
		c.Zone.spec = c.session.Spec()
	}
	return nil
}

// Steps returns the checks other than those of connectivity, and then why there are no results from the zone.
func (c *CheckRuns) Steps() []CheckStep {
	return slices.Concat(c.Local.steps, c.Local.failures, c.Zone.steps, c.Zone.failures)
}

// IsRunning reports whether there is a run.
func (c *CheckRuns) IsRunning() bool { return c.Local.IsRunning() || c.Zone.IsRunning() }

// HasFailed reports whether a check has failed, from whatever place.
func (c *CheckRuns) HasFailed() bool { return c.Local.CountFailed() > 0 || c.Zone.CountFailed() > 0 }

// HavePassed reports whether all checks have passed, with the present answers.
func (c *CheckRuns) HavePassed() bool { return c.Local.IsCurrent() && !c.HasFailed() && !c.IsRunning() }
