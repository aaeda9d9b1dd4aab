package shared

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"exoshift/state/lease"
	"exoshift/state/store"
)

// Overview is about all clusters of a place, none of which is opened or locked for it.
type Overview struct{ place *Place }

// NewOverview returns that of a place.
func NewOverview(p *Place) Overview { return Overview{p} }

// Status is what is known of a cluster without its folder.
type Status struct {
	ID      string
	Counter int           // of its head
	Summary *Summary      // nil: no run has kept one
	Check   *Check        // the last one; nil: there was none
	Lease   *lease.Record // of a cluster that a run works on
	Err     error         // why it cannot be read
}

// List reads the heads of all clusters side by side, sorted by ID. A cluster that cannot be read has an error of its own.
func (o Overview) List(ctx context.Context) ([]Status, error) {
	ids, err := o.place.store.ListNames(ctx, clustersPrefix)
	if err != nil {
		return nil, err
	}
	release := o.place.memory.Defer()
	all := make([]Status, len(ids))
	err = forEachOf(ctx, manyParallel, len(ids), func(ctx context.Context, n int) error {
		all[n] = o.readStatus(ctx, ids[n])
		return ctx.Err()
	})
	if err = errors.Join(err, release()); err != nil {
		return nil, fmt.Errorf("list the clusters of shared state: %w", err)
	}
	return slices.DeleteFunc(all, func(s Status) bool { return s.Counter == 0 && s.Err == nil }), nil
}

func (o Overview) readStatus(ctx context.Context, id string) Status {
	s := Status{ID: id}
	head, _, err := o.place.readHead(ctx, id)
	if err != nil || head.Counter == 0 {
		s.Err = err
		return s
	}
	s.Counter, s.Summary = head.Counter, head.Summary
	check, err := o.ReadCheck(ctx, id)
	switch {
	case err == nil:
		s.Check = &check
	case !errors.Is(err, fs.ErrNotExist):
		s.Err = err
		return s
	}
	if s.Summary != nil && s.Summary.Run.State == RunRunning {
		var record lease.Record
		if record, s.Err = o.place.ReadLease(ctx, id); s.Err == nil {
			s.Lease = &record
		}
	}
	return s
}

// ReadCheck returns the last check of a cluster. It fails with fs.ErrNotExist if there was none.
func (o Overview) ReadCheck(ctx context.Context, id string) (Check, error) {
	check, _, err := o.readCheck(ctx, id)
	return check, err
}

func (o Overview) readCheck(ctx context.Context, id string) (Check, store.Version, error) {
	op := "read the last check of cluster " + id
	object, err := o.place.store.Get(ctx, checkKey(id))
	if err != nil {
		return Check{}, "", fmt.Errorf("%s: %w", op, err)
	}
	var check Check
	if err := decode(object.Content, &check); err != nil {
		return Check{}, "", fmt.Errorf("%s: %w", op, err)
	}
	plain := check
	plain.MAC = ""
	if !o.place.sealer.isAuthentic(encode(plain), check.MAC) || check.Cluster != id {
		return Check{}, "", newTampered(op, checkKey(id))
	}
	return check, object.Version, o.place.memory.CheckCounter(id+"/"+checkName, check.Number)
}

// RecordCheck replaces the last check of a cluster, unless that one has seen a later state of it. A check that does not say whether
// the cluster has drifted, or did not ask the cluster, keeps what the one before it said about that.
func (o Overview) RecordCheck(ctx context.Context, id string, check Check) error {
	for {
		last, version, err := o.readCheck(ctx, id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if last.Counter > check.Counter {
			return nil
		}
		next := check.keepUnknown(last)
		next.Format, next.Cluster, next.Number, next.Time = format, id, last.Number+1, time.Now().UTC()
		next.Nonce, next.MAC = rand.Text(), ""
		next.MAC = o.place.sealer.authenticate(encode(next))
		if _, err = o.place.store.Put(ctx, checkKey(id), encode(next), version); err == nil {
			return o.place.memory.CheckCounter(id+"/"+checkName, next.Number)
		}
		if !errors.Is(err, store.ErrConflict) {
			return fmt.Errorf("record the check of cluster %s: %w", id, err)
		}
	}
}
