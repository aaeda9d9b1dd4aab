// Package gitlablock holds the locks of shared state by GitLab's protocol for the locks of Terraform's state, for object storage that
// does not honour conditional writes. GitLab decides who holds a lock; what is known of the holder is a record in the storage.
//
// GitLab's lock has neither a lifetime nor a renewal. The holder asks for its own lock again in each interval, which GitLab refuses
// by naming it. Whoever has seen the same record for a whole lifetime deletes the lock by the holder's ID, which fails if it is
// another one's meanwhile. A lock without a record is left by a process that ended between the two: it has to be unlocked by hand.
package gitlablock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/state/lease"
	"exoshift/state/store"
)

// Store is the locks of a project, with their records in another store.
type Store struct {
	project *project
	records lease.Store
}

// Get returns the record of a lock.
func (s *Store) Get(ctx context.Context, key string) (store.Object, error) {
	return s.records.Get(ctx, key) //nolint:wrapcheck // it says what was read
}

// Put takes, renews or frees a lock, according to the record that is stored, and stores the next one.
func (s *Store) Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	var next, before lease.Record
	stored, err := s.records.Get(ctx, key)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err //nolint:wrapcheck // it says what was read
	}
	if stored.Version != replaced {
		return "", fmt.Errorf("put %s: %w", key, store.ErrConflict)
	}
	if err := json.Unmarshal(content, &next); err != nil {
		return "", fault.New(fault.Internal, "put "+key, err)
	}
	if replaced != "" {
		if err := json.Unmarshal(stored.Content, &before); err != nil {
			return "", fault.New(fault.Invalid, "read the lock "+key, err)
		}
	}
	name := formatName(key)
	switch {
	case next.Holder == nil:
		err = s.free(ctx, name, before.Holder)
	case before.Holder != nil && before.Holder.Run == next.Holder.Run:
		err = s.renew(ctx, name, *next.Holder)
	default:
		err = s.take(ctx, name, before.Holder, *next.Holder)
	}
	if err != nil {
		return "", fmt.Errorf("lock %s in GitLab: %w", name, err)
	}
	version, err := s.records.Put(ctx, key, content, replaced)
	if err != nil && next.Holder != nil && next.Beat == 0 {
		_ = s.free(context.WithoutCancel(ctx), name, next.Holder) // nobody has it without a record
	}
	return version, err //nolint:wrapcheck // it says what was written
}

// take fails with a *lease.HeldError if somebody else has the lock, of whom there is no record yet.
func (s *Store) take(ctx context.Context, name string, before *lease.Holder, next lease.Holder) error {
	if err := s.free(ctx, name, before); err != nil {
		return err
	}
	held, free, err := s.project.lock(ctx, name, formatID(next), next)
	if err != nil || free || held.ID == formatID(next) { // the answer to an earlier request was lost
		return err
	}
	return &lease.HeldError{Cluster: strings.TrimPrefix(name, namePrefix), Holder: held.holder()}
}

// renew fails with store.ErrConflict if the lock is another one's, or was freed by somebody.
func (s *Store) renew(ctx context.Context, name string, holder lease.Holder) error {
	held, free, err := s.project.lock(ctx, name, formatID(holder), holder)
	switch {
	case err != nil:
		return err
	case free:
		_, err = s.project.unlock(ctx, name, formatID(holder))
		return errors.Join(store.ErrConflict, err)
	case held.ID != formatID(holder):
		return store.ErrConflict
	}
	return nil
}

// free deletes the lock of a holder; one that has none, or none any more, is no error.
func (s *Store) free(ctx context.Context, name string, holder *lease.Holder) error {
	if holder == nil {
		return nil
	}
	_, err := s.project.unlock(ctx, name, formatID(*holder))
	return err
}

// probeID is of a lock that is taken for a moment, to see whether there is another.
const probeID = "exoshift-probe"

// Break frees a lock that has no record: that of a process that ended before it wrote one, or of somebody else's program. run is what
// its ID begins with, or the ID of another program's lock.
func (s *Store) Break(ctx context.Context, key, run string) (lease.Holder, error) {
	name := formatName(key)
	op := "unlock " + name + " in GitLab"
	held, free, err := s.project.lock(ctx, name, probeID, lease.Holder{Verb: "state unlock"})
	switch {
	case err != nil:
		return lease.Holder{}, err
	case free:
		_, err := s.project.unlock(ctx, name, probeID)
		return lease.Holder{}, errors.Join(fault.Newf(fault.NotFound, op, "it is not locked"), err)
	case held.holder().Run != run:
		return lease.Holder{}, fault.Newf(fault.Conflict, op, "it is not locked by run %s, but in use: %s", run, held.holder()).
			WithHint("use the run of the lock: --run %s", held.holder().Run)
	}
	freed, err := s.project.unlock(ctx, name, held.ID)
	if err == nil && !freed {
		err = fault.Newf(fault.Conflict, op, "it is another one's meanwhile")
	}
	return held.holder(), err
}

const namePrefix = "exoshift-"

// formatName returns the name of the Terraform state for the key of a lock, e.g. "c-demo-1.json".
func formatName(key string) string { return namePrefix + strings.TrimSuffix(key, ".json") }

// maxID is GitLab's limit, in bytes.
const maxID = 255

// formatID returns the ID of a holder's lock. Others see nothing else of it, so it says who and where; it begins with the run, which
// nobody else has.
func formatID(holder lease.Holder) string {
	id := strings.Join([]string{holder.Run, holder.Verb, holder.User, holder.Host, holder.Job}, "|")
	return strings.ToValidUTF8(id[:min(len(id), maxID)], "")
}

// holder is what is known of whoever has a lock: of its ID, if that is ours, and by GitLab.
func (i info) holder() lease.Holder {
	created, _ := time.Parse(time.RFC3339, i.Created) // the zero time if it is none
	holder := lease.Holder{Run: i.ID, User: i.Who, Host: "GitLab", Verb: "another program", Since: created}
	if parts := strings.Split(i.ID, "|"); len(parts) == 5 {
		holder.Run, holder.Verb, holder.User, holder.Host, holder.Job = parts[0], parts[1], parts[2], parts[3], parts[4]
	}
	return holder
}
