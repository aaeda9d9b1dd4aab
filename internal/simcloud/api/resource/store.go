// Package resource keeps the resources of a simulated organization: tables of each kind, their state transitions, the operations
// that change them, and quotas.
//
// A Store has one lock for everything. Whoever uses its tables holds it; methods that take it themselves say so.
package resource

import (
	"context"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/api/rest"
	"exoshift/internal/simcloud/store"
)

// Store is the state of an organization. Its lock guards all of its tables and the order of changes in the database.
type Store struct {
	sync.Mutex
	// Quotas are the organization's limits.
	Quotas *Quotas

	db         *store.DB
	clock      network.Clock
	onChange   func()
	sequence   *store.Table[int]
	operations *Table[Operation]
	scheduler  scheduler
	// complete ends a due task, by the noun of its table; resume schedules the tasks of an earlier process.
	complete map[string]func(id string) error
	resume   []func()
	outcome  func(template string) (Outcome, error)
	waiting  []string // operations that are due except for their template
	err      error    // the first of Open

	wake       chan struct{}
	background func(func(context.Context)) // starts a goroutine that ends with the store
	cancel     context.CancelFunc
	running    sync.WaitGroup
}

// NewStore returns the store over the state in db. onChange is called under the lock when a resource changes its state by itself.
// Start it after all tables are open; Close ends it.
func NewStore(db *store.DB, clock network.Clock, quotas *Quotas, onChange func()) (*Store, error) {
	sequence, err := store.Load[int](db, "api/sequence")
	if err != nil {
		return nil, err
	}
	s := &Store{
		Quotas: quotas, db: db, clock: clock, onChange: onChange, sequence: sequence,
		complete: map[string]func(string) error{},
		outcome:  func(string) (Outcome, error) { return Outcome{}, nil },
		wake:     make(chan struct{}, 1),
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.background = func(do func(context.Context)) { s.running.Go(func() { do(ctx) }) }
	s.operations = Open[Operation](s, operationNoun)
	s.complete[operationNoun] = s.completeOperation
	return s, s.err
}

// Err returns the first error of Open and OpenStateful.
func (s *Store) Err() error { return s.err }

// Start continues what an earlier process began, and completes tasks from now on without waiting for a request. It takes the lock.
func (s *Store) Start() {
	s.Lock()
	defer s.Unlock()
	for _, resume := range s.resume {
		resume()
	}
	for _, op := range s.operations.All() {
		if op.Wire.State == pending {
			s.schedule(op.Due, operationNoun, op.ID)
		}
	}
	s.background(s.runScheduler)
}

// Close ends all goroutines. Afterwards nothing changes state any more.
func (s *Store) Close() {
	s.cancel()
	s.running.Wait()
}

// Go starts a goroutine that ends with the store rather than with a request.
func (s *Store) Go(do func(context.Context)) { s.background(do) }

// Now returns the time of the simulated zone.
func (s *Store) Now() time.Time { return s.clock.Now().UTC() }

// NewRow returns the row of a new resource; zone is "" if it belongs to the whole organization.
func (s *Store) NewRow(zone string) (Row, error) {
	order, _ := s.sequence.Get("next")
	if err := s.sequence.Put("next", order+1); err != nil {
		return Row{}, err
	}
	return newRow(zone, order, s.Now()), nil
}

// NewZonedRow refuses a request without a zone.
func (s *Store) NewZonedRow(req *rest.Request) (Row, error) {
	if req.Zone == "" {
		return Row{}, rest.NotFound("zone", req.Host)
	}
	return s.NewRow(req.Zone)
}

// runScheduler completes what is due without waiting for a request.
func (s *Store) runScheduler(ctx context.Context) {
	for {
		timer := time.NewTimer(s.clock.ToWall(s.nextDelay()))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// nextDelay completes what is due and returns the time until the next task.
func (s *Store) nextDelay() time.Duration {
	s.Lock()
	defer s.Unlock()
	_ = s.RunDueTasks() // an error of the database is returned to the next request
	next, waiting := s.scheduler.next()
	if !waiting {
		return 24 * time.Hour
	}
	return max(next.Sub(s.Now()), 0)
}

// RunDueTasks executes what is due: transitions and operations. A task that fails is retried.
func (s *Store) RunDueTasks() error {
	now := s.Now()
	for {
		due, ok := s.scheduler.nextDue(now)
		if !ok {
			return nil
		}
		if err := s.complete[due.noun](due.id); err != nil {
			return err
		}
		s.scheduler.pop()
	}
}

func (s *Store) schedule(at time.Time, noun, id string) {
	first, waiting := s.scheduler.next()
	s.scheduler.schedule(at, noun, id)
	if waiting && !at.Before(first) {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
}
