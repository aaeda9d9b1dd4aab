package api

import "time"

// transition is the pending change of a resource's state.
type transition struct {
	State  string
	Next   string    // the next state, or ""
	NextAt time.Time // when it begins
}

// destroyed is the next state of a resource that will be deleted.
const destroyed = "destroyed"

func (t *transition) getTransition() *transition { return t }

// setTransition schedules the change; the caller stores the resource.
func (a *API) setTransition(noun string, head row, t *transition, by, to string, delay time.Duration) {
	t.State, t.Next, t.NextAt = by, to, a.now().Add(delay)
	a.schedule(t.NextAt, noun, head.ID)
}

// transitioning is a resource with a transition.
type transitioning[T any] interface {
	*T
	getTransition() *transition
}

// completeTransition applies a due transition, or removes the resource.
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

// resumeTransitions schedules the transitions of an earlier process.
func resumeTransitions[T rowHolder, P transitioning[T]](a *API, s *resourceTable[T]) {
	for _, t := range s.listAll() {
		if way := P(&t).getTransition(); way.Next != "" {
			a.schedule(way.NextAt, s.noun, t.head().ID)
		}
	}
}
