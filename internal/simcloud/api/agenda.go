package api

import (
	"cmp"
	"container/heap"
	"time"
)

// agenda is what will happen, the next first. What was planned for one moment happens in the order of planning.
type agenda struct {
	entries []appointment
	planned int
}

// appointment is with a thing whose state changes at that time, or with an operation that completes. One whose thing
// has changed its mind since means nothing.
type appointment struct {
	at     time.Time
	number int
	noun   string
	id     string
}

func (g *agenda) Len() int      { return len(g.entries) }
func (g *agenda) Swap(i, j int) { g.entries[i], g.entries[j] = g.entries[j], g.entries[i] }
func (g *agenda) Less(i, j int) bool {
	x, y := g.entries[i], g.entries[j]
	return cmp.Or(x.at.Compare(y.at), x.number-y.number) < 0
}
func (g *agenda) Push(x any) { g.entries = append(g.entries, x.(appointment)) }
func (g *agenda) Pop() any {
	last := g.entries[len(g.entries)-1]
	g.entries = g.entries[:len(g.entries)-1]
	return last
}

// next returns when the next thing happens; false if nothing will.
func (g *agenda) next() (time.Time, bool) {
	if len(g.entries) == 0 {
		return time.Time{}, false
	}
	return g.entries[0].at, true
}

// due returns the next appointment if it is not after now.
func (g *agenda) due(now time.Time) (appointment, bool) {
	if at, ok := g.next(); !ok || now.Before(at) {
		return appointment{}, false
	}
	return g.entries[0], true
}

// strike removes the next appointment.
func (g *agenda) strike() { heap.Pop(g) }

func (g *agenda) plan(at time.Time, noun, id string) {
	g.planned++
	heap.Push(g, appointment{at: at, number: g.planned, noun: noun, id: id})
}

// schedule makes sure that somebody looks at the thing with that noun and ID at the time at.
func (a *API) schedule(at time.Time, noun, id string) {
	first, waiting := a.agenda.next()
	a.agenda.plan(at, noun, id)
	if !waiting || at.Before(first) {
		notify(a.wake)
	}
}
