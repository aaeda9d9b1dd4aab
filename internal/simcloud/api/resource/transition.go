package resource

import "time"

// States that several kinds of resources have.
const (
	Creating     = "creating"
	Starting     = "starting"
	Running      = "running"
	Updating     = "updating"
	Snapshotting = "snapshotting"
	Stopping     = "stopping"
	Stopped      = "stopped"
	Destroying   = "destroying"
	Deleting     = "deleting"
)

// Destroyed is the next state of a resource that will be deleted.
const Destroyed = "destroyed"

// Transition is the state of a resource, and its pending change.
type Transition struct {
	State  string
	Next   string    // the next state, or ""
	NextAt time.Time // when it begins
}

func (t *Transition) transition() *Transition { return t }

// Stateful is a pointer to a stored resource that embeds Transition.
type Stateful[T any] interface {
	*T
	transition() *Transition
}

// StatefulTable is a table of resources that change state when their operation completes.
type StatefulTable[T Record, P Stateful[T]] struct {
	*Table[T]
	destroy func(T) error
}

// OpenStateful is Open for resources with states.
func OpenStateful[T Record, P Stateful[T]](s *Store, noun string) *StatefulTable[T, P] {
	t := &StatefulTable[T, P]{Table: Open[T](s, noun)}
	t.destroy = func(r T) error { return t.Delete(r.head().ID) }
	s.complete[noun] = t.complete
	s.resume = append(s.resume, t.resume)
	return t
}

// OnDestroy replaces the plain deletion of a resource whose transition ends in Destroyed.
func (t *StatefulTable[T, P]) OnDestroy(destroy func(T) error) { t.destroy = destroy }

// SetTransition schedules a change of state; the caller stores the resource.
func (t *StatefulTable[T, P]) SetTransition(r P, by, to string, delay time.Duration) {
	change := r.transition()
	change.State, change.Next, change.NextAt = by, to, t.store.Now().Add(delay)
	t.store.schedule(change.NextAt, t.noun, (*r).head().ID)
}

// Start begins a change of state, stores the resource and returns the operation, which ends with it and refers to the resource.
func (t *StatefulTable[T, P]) Start(r T, by, to string, delay time.Duration) (any, error) {
	return t.StartAs(r, by, to, delay, WireOperation{Reference: NewReference(t.noun, r.head().ID)})
}

// StartAs is Start with an operation that refers to something else.
func (t *StatefulTable[T, P]) StartAs(r T, by, to string, delay time.Duration, wire WireOperation) (any, error) {
	t.SetTransition(&r, by, to, delay)
	if err := t.Put(r); err != nil {
		return nil, err
	}
	return t.store.Begin(r.head().Zone, delay, Operation{Wire: wire})
}

// complete applies a due transition, or destroys the resource.
func (t *StatefulTable[T, P]) complete(id string) error {
	r, ok := t.Lookup(id)
	change := P(&r).transition()
	if !ok || change.Next == "" || t.store.Now().Before(change.NextAt) {
		return nil
	}
	t.store.onChange()
	if change.Next == Destroyed {
		return t.destroy(r)
	}
	change.State, change.Next = change.Next, ""
	return t.Put(r)
}

// resume schedules the transitions of an earlier process.
func (t *StatefulTable[T, P]) resume() {
	for _, r := range t.All() {
		if change := P(&r).transition(); change.Next != "" {
			t.store.schedule(change.NextAt, t.noun, r.head().ID)
		}
	}
}
