package resource

import (
	"cmp"
	"container/heap"
	"time"
)

// scheduler holds the tasks, the next first. Tasks of the same time run in the order of scheduling.
type scheduler struct {
	entries   []task
	scheduled int
}

// task names a resource whose state changes at that time, or an operation that completes. It has no effect if the resource's
// transition has changed since.
type task struct {
	at     time.Time
	number int
	noun   string
	id     string
}

func (g *scheduler) Len() int      { return len(g.entries) }
func (g *scheduler) Swap(i, j int) { g.entries[i], g.entries[j] = g.entries[j], g.entries[i] }
func (g *scheduler) Less(i, j int) bool {
	x, y := g.entries[i], g.entries[j]
	return cmp.Or(x.at.Compare(y.at), x.number-y.number) < 0
}
func (g *scheduler) Push(x any) { g.entries = append(g.entries, x.(task)) }
func (g *scheduler) Pop() any {
	last := g.entries[len(g.entries)-1]
	g.entries = g.entries[:len(g.entries)-1]
	return last
}

// next returns false if nothing is scheduled.
func (g *scheduler) next() (time.Time, bool) {
	if len(g.entries) == 0 {
		return time.Time{}, false
	}
	return g.entries[0].at, true
}

// nextDue returns the next task if it is not after now.
func (g *scheduler) nextDue(now time.Time) (task, bool) {
	if at, ok := g.next(); !ok || now.Before(at) {
		return task{}, false
	}
	return g.entries[0], true
}

func (g *scheduler) pop() { heap.Pop(g) }

func (g *scheduler) schedule(at time.Time, noun, id string) {
	g.scheduled++
	heap.Push(g, task{at: at, number: g.scheduled, noun: noun, id: id})
}
