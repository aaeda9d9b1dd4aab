package main

import (
	"bytes"
	"sync"
	"time"
)

const (
	unreadLimit    = 4 << 20         // bytes: more than any usual run prints
	readerPatience = 3 * time.Second // how long the end of a run waits for a reader who does not read
)

// printQueue prints in the background, so that nobody waits for the reader: of a terminal that was stopped with Ctrl-S, of a
// pipe. Once the limit is reached, lines are left out until all that was kept has been read; a line of its own says so.
type printQueue struct {
	write   func(line []byte)      // waits for as long as nobody reads
	omitted func(lines int) []byte // the line that stands for those that were left out
	limit   int                    // bytes

	mu       sync.Mutex
	unread   []byte
	leftOut  int // lines
	progress int // lines written
	closed   bool

	wake    chan struct{} // has room for one
	drained chan struct{}
}

func newPrintQueue(limit int, write func(line []byte), omitted func(lines int) []byte) *printQueue {
	q := &printQueue{write: write, omitted: omitted, limit: limit, wake: make(chan struct{}, 1), drained: make(chan struct{})}
	go q.run()
	return q
}

// add takes lines, and never waits.
func (q *printQueue) add(lines []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return
	case q.leftOut > 0 || len(q.unread)+len(lines) > q.limit:
		q.leftOut += max(bytes.Count(lines, []byte("\n")), 1)
	default:
		q.unread = append(q.unread, lines...)
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *printQueue) run() {
	defer close(q.drained)
	for range q.wake {
		for lines := q.take(); len(lines) > 0; lines = q.take() {
			for line := range bytes.Lines(lines) {
				q.write(line)
				q.advance()
			}
		}
	}
}

// take returns everything that is to be written next.
func (q *printQueue) take() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	lines := q.unread
	q.unread = nil
	if len(lines) == 0 && q.leftOut > 0 {
		lines = q.omitted(q.leftOut)
		q.leftOut = 0
	}
	return lines
}

func (q *printQueue) advance() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.progress++
}

// flush ends the queue once everything has been read. It reports false if the reader reads nothing for as long as patience.
func (q *printQueue) flush(patience time.Duration) bool {
	q.mu.Lock()
	before := q.progress
	q.closed = true
	close(q.wake)
	q.mu.Unlock()
	stalled := time.NewTicker(patience) // of the reader, who lives by the wall clock in a rehearsal too
	defer stalled.Stop()
	for {
		select {
		case <-q.drained:
			return true
		case <-stalled.C:
		}
		q.mu.Lock()
		now := q.progress
		q.mu.Unlock()
		if now == before {
			return false
		}
		before = now
	}
}
