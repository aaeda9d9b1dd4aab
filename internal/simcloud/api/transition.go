package api

import "time"

// transition is the state of a thing that takes time to come into another.
type transition struct {
	State  string
	Next   string    // the state it is on the way to, or ""
	NextAt time.Time // when it arrives there
}

// destroyed is where a thing is on the way to that will be deleted.
const destroyed = "destroyed"

func (t *transition) getTransition() *transition { return t }

// setTransition sends a thing on the way to another state; whoever calls stores it.
func (a *API) setTransition(noun string, head row, t *transition, by, to string, delay time.Duration) {
	t.State, t.Next, t.NextAt = by, to, a.now().Add(delay)
	a.schedule(t.NextAt, noun, head.ID)
}

// transitioning is a thing with a transit.
type transitioning[T any] interface {
	*T
	getTransition() *transition
}

// completeTransition puts a thing into the state that it was on the way to, if its time has come, or removes it.
func completeTransition[T rowHolder, P transitioning[T]](a *API, s *resourceTable[T], id string, remove func(T) error) error {
	t, ok := s.table.Get(id)
	way := P(&t).getTransition()
	if !ok || way.Next == "" || a.now().Before(way.NextAt) {
		return nil
	}
	a.notifyChanged()
	if way.Next == destroyed {
		return remove(t)
	}
	way.State, way.Next = way.Next, ""
	return s.put(t)
}

// resumeTransitions schedules the arrivals that an earlier process left open.
func resumeTransitions[T rowHolder, P transitioning[T]](a *API, s *resourceTable[T]) {
	for _, t := range s.listAll() {
		if way := P(&t).getTransition(); way.Next != "" {
			a.schedule(way.NextAt, s.noun, t.head().ID)
		}
	}
}
