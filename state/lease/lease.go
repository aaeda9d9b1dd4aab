// Package lease gives one process at a time the right to change a cluster, whatever machine it runs on. The right ends unless it
// is renewed, so that the process of a lost machine is followed by another one.
package lease

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/state/store"
)

// A holder renews its lease each interval. It stops its changes when no renewal has succeeded for half the lifetime, long before
// another process may take the lease over: that one waits until it has seen the same lease for a whole lifetime, by its own
// clock, which therefore may differ from the holder's.
const (
	Lifetime = 2 * time.Minute
	Interval = 20 * time.Second
	Stop     = Lifetime / 2
)

const (
	format      = 1
	observeEach = 5 * time.Second // while another's lease is observed
	retry       = 2 * time.Second // of a renewal that failed
)

// Holder is the run that has a lease.
type Holder struct {
	Run   string    `json:"run"` // identifies the run
	User  string    `json:"user"`
	Host  string    `json:"host"`
	Job   string    `json:"job,omitempty"` // URL of the job that it runs in
	Verb  string    `json:"verb"`
	Since time.Time `json:"since"`
}

// String says who it is, and where.
func (h Holder) String() string {
	where := h.User + "@" + h.Host
	if h.Job != "" {
		where = h.Job
	}
	return fmt.Sprintf("%s by %s since %s (run %s)", h.Verb, where, h.Since.UTC().Format("2006-01-02 15:04 MST"), h.Run)
}

// Record is what is stored of a lease.
type Record struct {
	Format  int       `json:"v"`
	Epoch   int       `json:"epoch"`  // grows with each holder
	Beat    int       `json:"beat"`   // grows with each renewal
	Nonce   string    `json:"nonce"`  // differs in each write
	Holder  *Holder   `json:"holder"` // nil: it is free
	Renewed time.Time `json:"renewed"`
}

// Store keeps the record.
type Store interface {
	Get(ctx context.Context, key string) (store.Object, error)
	Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error)
}

// Breaker is a Store whose locks may outlive their records. Break frees the lock of a run that has no record, and fails with
// fault.NotFound if there is none.
type Breaker interface {
	Break(ctx context.Context, key, run string) (Holder, error)
}

// HeldError reports that another run holds the lease.
type HeldError struct {
	Cluster string
	Holder  Holder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("cluster %s is in use: %s", e.Cluster, e.Holder)
}

// LostError reports that a lease was lost: another run may work on the cluster.
type LostError struct {
	Cluster string
	Err     error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("the lock of cluster %s was lost, so this run has stopped changing it: %s", e.Cluster, e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

// IsLost reports whether a context has ended because the lease of its run was lost.
func IsLost(ctx context.Context) bool {
	var lost *LostError
	return errors.As(context.Cause(ctx), &lost)
}

// Lease is held until Release, or until it is lost.
type Lease struct {
	store   Store
	cluster string
	key     string
	stop    func()
	renewal sync.WaitGroup
	lost    chan struct{}

	mu      sync.Mutex // guards what follows
	record  Record
	version store.Version
	renewed time.Time // start of the last renewal that succeeded
	err     error     // why it was lost
}

// Acquire takes the lease of a cluster. One that another run renews fails with a *HeldError; one that nobody has renewed for a
// lifetime is taken over. waiting is called once before that is waited for.
func Acquire(ctx context.Context, s Store, cluster string, holder Holder, waiting func(Holder)) (*Lease, error) {
	l := &Lease{store: s, cluster: cluster, key: cluster + ".json", lost: make(chan struct{})}
	var seen store.Version
	var since time.Time
	for {
		record, version, err := Read(ctx, s, cluster)
		if err != nil {
			return nil, err
		}
		switch {
		case record.Holder == nil:
		case seen == "":
			seen, since = version, time.Now()
			waiting(*record.Holder)
		case version != seen:
			return nil, &HeldError{cluster, *record.Holder}
		}
		if record.Holder == nil || time.Since(since) >= Lifetime {
			err := l.take(ctx, record, version, holder)
			if err == nil {
				l.start(ctx)
				return l, nil
			}
			if !errors.Is(err, store.ErrConflict) {
				return nil, err
			}
			continue // another one was quicker
		}
		select {
		case <-ctx.Done():
			return nil, fault.New(fault.Cancelled, "wait for the lock of cluster "+cluster, context.Cause(ctx))
		case <-time.After(observeEach): //nolint:forbidigo // leases are of the wall clock
		}
	}
}

// Read returns the record of a cluster's lease, and its version; the zero record if there never was one.
func Read(ctx context.Context, s Store, cluster string) (Record, store.Version, error) {
	object, err := s.Get(ctx, cluster+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, "", nil
	}
	if err != nil {
		return Record{}, "", fmt.Errorf("read the lock of cluster %s: %w", cluster, err)
	}
	var record Record
	if err := json.Unmarshal(object.Content, &record); err != nil {
		return Record{}, "", fault.New(fault.Invalid, "read the lock of cluster "+cluster, err)
	}
	if record.Format != format {
		return Record{}, "", fault.Newf(fault.Invalid, "read the lock of cluster "+cluster, "it has format %d; this version of exoshift reads %d", record.Format, format).
			WithHint("update exoshift")
	}
	return record, object.Version, nil
}

// Unlock frees the lease of a run that does not live any more, and returns what it was.
func Unlock(ctx context.Context, s Store, cluster, run string) (Holder, error) {
	record, version, err := Read(ctx, s, cluster)
	if err != nil {
		return Holder{}, err
	}
	op := "unlock cluster " + cluster
	breaker, breaks := s.(Breaker)
	switch {
	case record.Holder == nil && breaks:
		return breaker.Break(ctx, cluster+".json", run)
	case record.Holder == nil:
		return Holder{}, fault.Newf(fault.NotFound, op, "it is not locked")
	case record.Holder.Run != run:
		return Holder{}, fault.Newf(fault.Conflict, op, "it is not locked by run %s, but in use: %s", run, record.Holder).
			WithHint("use the run of the lock: --run %s", record.Holder.Run)
	}
	held := *record.Holder
	record.Holder = nil
	if _, err := put(ctx, s, cluster+".json", record, version); err != nil {
		return Holder{}, fmt.Errorf("%s: %w", op, err)
	}
	return held, nil
}

// take writes a record with the next epoch.
func (l *Lease) take(ctx context.Context, before Record, version store.Version, holder Holder) (err error) {
	l.renewed = time.Now()
	holder.Since = l.renewed
	l.record = Record{Format: format, Epoch: before.Epoch + 1, Holder: &holder}
	l.version, err = put(ctx, l.store, l.key, l.record, version)
	return err
}

func put(ctx context.Context, s Store, key string, record Record, replaced store.Version) (store.Version, error) {
	record.Format, record.Nonce, record.Renewed = format, rand.Text(), time.Now().UTC()
	content, err := json.Marshal(record)
	if err != nil {
		return "", fmt.Errorf("write a lock: %w", err)
	}
	return s.Put(ctx, key, content, replaced)
}

// start renews until Release; the end of ctx does not end it, as what was begun is still recorded then.
func (l *Lease) start(ctx context.Context) {
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.renewal.Go(func() { l.keep(ctx) })
}

func (l *Lease) keep(ctx context.Context) {
	wait := Interval
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait): //nolint:forbidigo // leases are of the wall clock
		}
		began := time.Now()
		err := l.renew(ctx, began)
		if ctx.Err() != nil {
			return
		}
		wait = Interval
		if errors.Is(err, store.ErrConflict) {
			l.lose(err)
			return
		}
		if err != nil {
			wait = retry
		}
		if l.Check() != nil {
			l.lose(fmt.Errorf("it could not be renewed for %s: %w", time.Since(l.lastRenewal()).Round(time.Second), err))
			return
		}
	}
}

func (l *Lease) renew(ctx context.Context, began time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, l.lastRenewal().Add(Stop))
	defer cancel()
	l.mu.Lock()
	record, version := l.record, l.version
	l.mu.Unlock()
	record.Beat++
	version, err := put(ctx, l.store, l.key, record, version)
	if errors.Is(err, store.ErrConflict) {
		record, version, err = l.renewOwn(ctx, record)
	}
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.record, l.version, l.renewed = record, version, began
	return nil
}

// renewOwn is for a renewal in the place of which something else is stored: that may be an earlier one, whose answer was lost.
func (l *Lease) renewOwn(ctx context.Context, wanted Record) (Record, store.Version, error) {
	stored, version, err := Read(ctx, l.store, l.cluster)
	if err != nil {
		return wanted, version, err
	}
	if stored.Holder == nil || stored.Holder.Run != wanted.Holder.Run || stored.Epoch != wanted.Epoch {
		return wanted, version, store.ErrConflict
	}
	wanted.Beat = stored.Beat + 1
	version, err = put(ctx, l.store, l.key, wanted, version)
	return wanted, version, err
}

func (l *Lease) lastRenewal() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renewed
}

func (l *Lease) lose(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = &LostError{l.cluster, err}
		close(l.lost)
	}
}

// Epoch grows with each holder of the lease.
func (l *Lease) Epoch() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record.Epoch
}

// Holder is who holds it, and since when.
func (l *Lease) Holder() Holder {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.record.Holder
}

// Lost is closed when the lease is lost.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Check fails with a *LostError if the cluster must not be changed any more.
func (l *Lease) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && time.Since(l.renewed) >= Stop {
		return &LostError{l.cluster, fmt.Errorf("it was last renewed %s ago", time.Since(l.renewed).Round(time.Second))}
	}
	return l.err
}

// Release frees the lease for the next run at once, unless it was lost.
func (l *Lease) Release(ctx context.Context) error {
	l.stop()
	l.renewal.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return nil //nolint:nilerr // it is another's, or will be
	}
	record := l.record
	record.Holder = nil
	if _, err := put(ctx, l.store, l.key, record, l.version); err != nil && !errors.Is(err, store.ErrConflict) {
		return fmt.Errorf("release the lock of cluster %s: %w", l.cluster, err)
	}
	return nil
}
