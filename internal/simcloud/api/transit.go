package api

import "time"

// transit is the state of a thing that takes time to come into another.
type transit struct {
	State  string
	Next   string    // the state it is on the way to, or ""
	NextAt time.Time // when it arrives there
}

// gone is where a thing is on the way to that will be deleted.
const gone = "destroyed"

func (t *transit) way() *transit { return t }

// depart sends a thing on the way to another state; whoever calls stores it.
func (a *API) depart(noun string, head row, t *transit, by, to string, delay time.Duration) {
	t.State, t.Next, t.NextAt = by, to, a.now().Add(delay)
	a.schedule(t.NextAt, noun, head.ID)
}

// travels is a thing with a transit.
type travels[T any] interface {
	*T
	way() *transit
}

// arrive puts a thing into the state that it was on the way to, if its time has come, or removes it.
func arrive[T rowed, P travels[T]](a *API, s *shelf[T], id string, remove func(T) error) error {
	t, ok := s.table.Get(id)
	way := P(&t).way()
	if !ok || way.Next == "" || a.now().Before(way.NextAt) {
		return nil
	}
	a.touch()
	if way.Next == gone {
		return remove(t)
	}
	way.State, way.Next = way.Next, ""
	return s.put(t)
}

// revive schedules the arrivals that an earlier process left open.
func revive[T rowed, P travels[T]](a *API, s *shelf[T]) {
	for _, t := range s.all() {
		if way := P(&t).way(); way.Next != "" {
			a.schedule(way.NextAt, s.noun, t.head().ID)
		}
	}
}
