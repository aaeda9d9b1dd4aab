package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"exoshift/internal/console"
)

// outlet is an output of the process that may fail before the run ends: a closed pipe, a closed terminal, a full disk. After
// the first error, output is discarded, and writers get no error. During a run writers do not block either.
type outlet struct {
	name string // for people
	file *os.File

	mu       sync.Mutex
	queue    *printQueue // nil: writers block until the reader has read
	err      error       // the first error
	reported bool
}

// errUnread closes an output whose reader is stuck.
var errUnread = errors.New("nobody read it")

// Write never fails.
func (o *outlet) Write(p []byte) (int, error) {
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
func (o *outlet) print(p []byte) {
	if o.writeError() != nil {
		return
	}
	if _, err := o.file.Write(p); err != nil {
		o.fail(err)
	}
}

func (o *outlet) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
}

func (o *outlet) start(omitted func(lines int) []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = newPrintQueue(unreadLimit, o.print, omitted)
}

// flush waits until everything has been read, and gives up if the reader is stuck.
func (o *outlet) flush() {
	o.mu.Lock()
	queue := o.queue
	o.mu.Unlock()
	if queue == nil {
		return
	}
	if !queue.flush(readerPatience) {
		o.fail(errUnread)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = nil
}

// Fd is used to detect a terminal.
func (o *outlet) Fd() uintptr { return o.file.Fd() }

func (o *outlet) writeError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var local *os.PathError
	if errors.As(o.err, &local) {
		return local.Err
	}
	return o.err
}

func (s streams) listOutlets() (all []*outlet) {
	for _, w := range []io.Writer{s.out, s.err} {
		if o, is := w.(*outlet); is {
			all = append(all, o)
		}
	}
	return all
}

func (s streams) isClosed() bool {
	o, is := s.out.(*outlet)
	return is && o.writeError() != nil
}

func (s streams) terminalWriter() io.Writer {
	if o, is := s.out.(*outlet); is {
		return o.file
	}
	return s.out
}

// startRun decouples a run from its readers. events is the path of the complete record; "" if there is none.
func (s streams) startRun(o output, events string) {
	for _, one := range s.listOutlets() {
		omitted := console.Omitted
		if o.isJSON() && one == s.out {
			omitted = console.OmittedJSON
		}
		one.start(func(lines int) []byte { return omitted(lines, events) })
	}
}

// endRun prints pending output as long as it is read, and reports lost outputs.
func (s streams) endRun(events string, log func(line string)) {
	for _, o := range s.listOutlets() {
		o.flush()
		if cause := o.writeError(); cause != nil {
			s.reportLost(o, cause, events, log)
		}
	}
}

// reportLost reports to the remaining output and to the run's log.
func (s streams) reportLost(o *outlet, cause error, events string, log func(line string)) {
	line := fmt.Sprintf("the %s was closed before the run had ended (%v); the run went on", o.name, cause)
	if errors.Is(cause, errUnread) {
		line = fmt.Sprintf("the %s was not read to its end; the run did not wait for its reader", o.name)
	}
	if events != "" {
		line += ", and its events are in " + events
	}
	log(line)
	fmt.Fprintln(s.err, "exoshift:", console.SanitizeLine(line))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reported = true
}

// checkWritten returns the error of a command whose purpose was its output. A closed pipe is not an error.
func (s streams) checkWritten() error {
	for _, o := range s.listOutlets() {
		if cause := o.writeError(); cause != nil && !o.reported && !errors.Is(cause, syscall.EPIPE) {
			return fmt.Errorf("write to the %s: %w", o.name, cause)
		}
	}
	return nil
}

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
