package main

import (
	"bytes"
	"sync"
	"time"
)

const (
	unreadLimit    = 4 << 20         // bytes: more than any usual run prints
	readerPatience = 3 * time.Second // wait for a stuck reader at the end of a run
)

// printQueue prints in the background, so that no writer blocks on a reader: a terminal stopped with Ctrl-S, or a pipe. At the
// limit, lines are dropped until the queue is empty; a line then reports their number.
type printQueue struct {
	write   func(line []byte)      // blocks until the reader has read
	omitted func(lines int) []byte // the line that replaces dropped lines
	limit   int                    // bytes

	mu       sync.Mutex
	unread   []byte
	leftOut  int // lines
	progress int // lines written
	closed   bool

	wake    chan struct{} // buffered, size 1
	drained chan struct{}
}

func newPrintQueue(limit int, write func(line []byte), omitted func(lines int) []byte) *printQueue {
	q := &printQueue{write: write, omitted: omitted, limit: limit, wake: make(chan struct{}, 1), drained: make(chan struct{})}
	go q.run()
	return q
}

// add never blocks.
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

// flush waits until everything has been read. It returns false if the reader makes no progress during patience.
func (q *printQueue) flush(patience time.Duration) bool {
	q.mu.Lock()
	before := q.progress
	q.closed = true
	close(q.wake)
	q.mu.Unlock()
	stalled := time.NewTicker(patience) // on the wall clock, in a rehearsal too
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
