package sharedstate

import (
	"context"
	"errors"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/fleet"
	"exoshift/state"
	"exoshift/state/lease"
	"exoshift/state/shared"
)

// Session is a run's work on a cluster in shared state.
type Session struct {
	Workspace *shared.Workspace
	Folder    state.Folder // the private copy
	place     *shared.Place
	id        string
	entry     shared.Entry // of the audit stream, without a state
}

// RecordPlan records the hash of the plan that the run carries out.
func (s *Session) RecordPlan(ctx context.Context, hash string) error {
	s.entry.PlanHash = hash
	return s.record(ctx, "planned", nil)
}

func (s *Session) record(ctx context.Context, at string, code *int) error {
	entry := s.entry
	entry.State, entry.ExitCode = at, code
	return s.place.Record(ctx, s.id, entry)
}

// Run opens a cluster's private copy for one run as the holder of its lock, and calls body with it. The context of body ends
// when the lock is lost. The beginning and the end of the run are recorded.
func (a Access) Run(ctx context.Context, id, verb string, waiting func(lease.Holder), body func(context.Context, *Session) error) (err error) {
	place, end, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer end()
	work, err := WorkPath()
	if err != nil {
		return err
	}
	holder := a.NewHolder(verb)
	workspace, err := place.Open(ctx, id, work, holder, waiting)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, workspace.Close(ctx)) }()
	session := &Session{Workspace: workspace, place: place, id: id, entry: shared.Entry{Verb: verb, Holder: holder}}
	if session.Folder, err = workspace.Folder(); err != nil {
		return err
	}
	summarizer := fleet.NewRunSummarizer(session.Folder, workspace.Holder(), workspace.LastRun())
	workspace.SetSummarizer(summarizer.Summarize)
	if err := session.record(ctx, "started", nil); err != nil {
		return err
	}
	err = session.call(ctx, body)
	if lost := workspace.Check(); lost != nil && err != nil {
		err = exit.WithCode(exit.Locked, errors.Join(lost, err))
	}
	code := exit.Code(err)
	summarizer.End(code)
	return errors.Join(err, session.record(context.WithoutCancel(ctx), "finished", &code))
}

// call ends the context of body when the lock is lost.
func (s *Session) call(ctx context.Context, body func(context.Context, *Session) error) error {
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case <-s.Workspace.Lost():
			stop(s.Workspace.Check())
		case <-running.Done():
		}
	}()
	return body(running, s)
}

// Read calls body with a private copy of a cluster's folder that is only read, and with the counter of its state.
func (a Access) Read(ctx context.Context, id string, body func(folder state.Folder, counter int) error) (err error) {
	place, end, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer end()
	work, err := WorkPath()
	if err != nil {
		return err
	}
	copied, err := place.OpenReadOnly(ctx, id, work)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, copied.Close()) }()
	folder, err := copied.Folder()
	if err != nil {
		return err
	}
	return body(folder, copied.Counter())
}

// RecordDrift keeps as a cluster's last check whether an installation would change anything. It needs no lock.
func (a Access) RecordDrift(ctx context.Context, id string, counter int, drift bool) error {
	place, end, err := a.Open(ctx)
	if err != nil {
		return err
	}
	defer end()
	return shared.NewOverview(place).RecordCheck(ctx, id, shared.Check{Counter: counter, Drift: &drift})
}
