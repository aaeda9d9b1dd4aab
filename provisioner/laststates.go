package provisioner

import "sync"

// LastStates remembers the state in which things were emitted last, so that only changes are emitted. The zero value is
// ready to use.
type LastStates struct {
	mu   sync.Mutex // guards last
	last map[string]string
}

// Update records the state of a thing and reports whether it is new.
func (l *LastStates) Update(thing, state string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last[thing] == state {
		return false
	}
	if l.last == nil {
		l.last = map[string]string{}
	}
	l.last[thing] = state
	return true
}

// Get returns the last state of a thing, "" if there is none.
func (l *LastStates) Get(thing string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last[thing]
}
