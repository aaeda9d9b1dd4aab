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

// Run opens a cluster's private copy for one run as the holder of its lock, and calls body with it. The context of body ends
// when the lock is lost. The beginning and the end of the run are recorded.
func (a Access) Run(ctx context.Context, id, verb string, waiting func(lease.Holder), body func(context.Context, *shared.Workspace, state.Folder) error) (err error) {
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
	folder, err := workspace.Folder()
	if err != nil {
		return err
	}
	held := workspace.Holder()
	summarizer := fleet.NewSummarizer(folder, &held)
	workspace.SetSummarizer(summarizer.Summarize)
	if err := place.Record(ctx, id, shared.Entry{Verb: verb, State: "started", Holder: holder}); err != nil {
		return err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case <-workspace.Lost():
			stop(workspace.Check())
		case <-running.Done():
		}
	}()
	err = body(running, workspace, folder)
	if lost := workspace.Check(); lost != nil && err != nil {
		err = exit.WithCode(exit.Locked, errors.Join(lost, err))
	}
	code := exit.Code(err)
	summarizer.End(code)
	finished := shared.Entry{Verb: verb, State: "finished", Holder: holder, ExitCode: &code}
	return errors.Join(err, place.Record(context.WithoutCancel(ctx), id, finished))
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
