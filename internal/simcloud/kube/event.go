package kube

// Event is one change. Objects of the log are never modified.
type Event struct {
	version  uint64
	resource string
	before   Object // nil: was created
	after    Object // nil: was deleted
	Last     Object // sent to watchers: after, or the deleted object with the version of its deletion
}

// eventLog keeps the latest changes for watchers. Its owner's lock protects it.
type eventLog struct {
	events  []Event
	oldest  uint64        // changes up to this version are dropped
	changed chan struct{} // closed by the next change
}

const logLength = 500

func (l *eventLog) add(e Event) {
	l.events = append(l.events, e)
	if len(l.events) > 2*logLength {
		l.oldest = l.events[len(l.events)-logLength-1].version
		l.events = append([]Event(nil), l.events[len(l.events)-logLength:]...)
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// ListSince returns the changes of a resource after a version, the resulting version, and a channel that the next change closes.
func (o *Objects) ListSince(resource string, version uint64) ([]Event, uint64, <-chan struct{}, error) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	if version < o.log.oldest || version > o.version {
		return nil, 0, nil, NewResourceExpired(version)
	}
	var found []Event
	for i := len(o.log.events) - 1; i >= 0 && o.log.events[i].version > version; i-- {
		if o.log.events[i].resource == resource {
			found = append(found, o.log.events[i])
		}
	}
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found, o.version, o.log.changed, nil
}

// ChangeCount counts the changes since the objects were loaded, without heartbeats of nodes and renewals of leases: no
// controller has to act on those.
func (o *Objects) ChangeCount() uint64 {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.changes
}

// MatchSelector returns the watch event type for a selector, "" if there is no event.
func (e Event) MatchSelector(matches func(Object) bool) string {
	before, after := e.before != nil && matches(e.before), e.after != nil && matches(e.after)
	switch {
	case before && after:
		return "MODIFIED"
	case after:
		return "ADDED"
	case before:
		return "DELETED"
	}
	return ""
}
