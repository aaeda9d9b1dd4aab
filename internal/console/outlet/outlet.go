// Package outlet writes to outputs of the process that may be closed, full or stuck before a run ends.
package outlet

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"time"
)

// Outlet is an output of the process that may fail before the run ends: a closed pipe, a closed terminal, a full disk. After
// the first error, output is discarded, and writers get no error. During a run writers do not block either.
type Outlet struct {
	name string // for people
	file *os.File

	mu       sync.Mutex
	queue    *printQueue // nil: writers block until the reader has read
	err      error       // the first error
	reported bool
}

// ErrUnread closes an output whose reader is stuck.
var ErrUnread = errors.New("it was not read")

// Write never fails.
func (o *Outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	queue := o.queue
	o.mu.Unlock()
	if queue != nil {
		queue.add(p)
	} else {
		o.print(p)
	}
	return len(p), nil
}

// print blocks until the reader has read.
func (o *Outlet) print(p []byte) {
	if o.Err() != nil {
		return
	}
	if _, err := o.file.Write(p); err != nil {
		o.fail(err)
	}
}

func (o *Outlet) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
}

// StartQueue prints in the background from now on; omitted returns the line that reports lines left out.
func (o *Outlet) StartQueue(omitted func(lines int) []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = newPrintQueue(unreadLimit, o.print, omitted)
}

// Flush waits until everything has been read, and gives up if the reader is stuck.
func (o *Outlet) Flush() {
	o.mu.Lock()
	queue := o.queue
	o.mu.Unlock()
	if queue == nil {
		return
	}
	if !queue.flush(DrainTimeout) {
		o.fail(ErrUnread)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = nil
}

// MarkReported records that the loss of the output was reported.
func (o *Outlet) MarkReported() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reported = true
}

// Unreported returns the first error, unless it was reported.
func (o *Outlet) Unreported() error {
	o.mu.Lock()
	reported := o.reported
	o.mu.Unlock()
	if reported {
		return nil
	}
	return o.Err()
}

// New names the output for people.
func New(name string, file *os.File) *Outlet { return &Outlet{name: name, file: file} }

// Name is for people.
func (o *Outlet) Name() string { return o.name }

// File is the output itself, for screens.
func (o *Outlet) File() *os.File { return o.file }

// Fd is used to detect a terminal.
func (o *Outlet) Fd() uintptr { return o.file.Fd() }

// Err returns why printing has ended; nil: it has not.
func (o *Outlet) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var local *os.PathError
	if errors.As(o.err, &local) {
		return local.Err
	}
	return o.err
}

// The limits of what is not read.
const (
	unreadLimit  = 4 << 20         // bytes: more than any usual run prints
	DrainTimeout = 3 * time.Second // wait for a stuck reader at the end of a run
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

// flush waits until everything has been read. It returns false if the reader makes no progress within timeout.
func (q *printQueue) flush(timeout time.Duration) bool {
	q.mu.Lock()
	before := q.progress
	q.closed = true
	close(q.wake)
	q.mu.Unlock()
	stalled := time.NewTicker(timeout) // on the wall clock, in a rehearsal too
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
