package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"exoshift/internal/console"
)

// outlet is an output of the process that may end before the run does: its reader has seen enough, its terminal is gone,
// its disk is full. From the first error on, what is written goes nowhere, and nobody who writes fails. During a run
// nobody who writes waits for the reader either.
type outlet struct {
	name string // for people
	file *os.File

	mu       sync.Mutex
	queue    *printQueue // nil: whoever writes waits for the reader
	err      error       // the first error
	reported bool
}

// errUnread ends an output that is open, and that nobody reads.
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

// print waits for as long as nobody reads.
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

// start has everything printed in the background from now on.
func (o *outlet) start(omitted func(lines int) []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = newPrintQueue(unreadLimit, o.print, omitted)
}

// flush waits until everything has been read, and gives the output up if nobody reads.
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

// Fd lets a terminal be known as one.
func (o *outlet) Fd() uintptr { return o.file.Fd() }

// writeError returns why nothing is printed any more; nil if all was.
func (o *outlet) writeError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var local *os.PathError
	if errors.As(o.err, &local) {
		return local.Err
	}
	return o.err
}

// listOutlets are those of the outputs that may end.
func (s streams) listOutlets() (all []*outlet) {
	for _, w := range []io.Writer{s.out, s.err} {
		if o, is := w.(*outlet); is {
			all = append(all, o)
		}
	}
	return all
}

// isClosed tells whether nobody reads the standard output any more.
func (s streams) isClosed() bool {
	o, is := s.out.(*outlet)
	return is && o.writeError() != nil
}

// terminalWriter is the standard output as the terminal that it is.
func (s streams) terminalWriter() io.Writer {
	if o, is := s.out.(*outlet); is {
		return o.file
	}
	return s.out
}

// startRun keeps a run from ever waiting for the readers of its outputs. events is where all of the run is recorded; "" if
// nothing of it is kept.
func (s streams) startRun(o output, events string) {
	for _, one := range s.listOutlets() {
		omitted := console.Omitted
		if o.isJSON() && one == s.out {
			omitted = console.OmittedJSON
		}
		one.start(func(lines int) []byte { return omitted(lines, events) })
	}
}

// endRun prints what is left for as long as it is read, and reports which output was lost.
func (s streams) endRun(events string, log func(line string)) {
	for _, o := range s.listOutlets() {
		o.flush()
		if cause := o.writeError(); cause != nil {
			s.reportLost(o, cause, events, log)
		}
	}
}

// reportLost says which output ended before the run, to whoever still reads and to the run's log.
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

// checkWritten is the failure of a command that was there to print something, if that came to nothing. A reader who left
// has what he wanted.
func (s streams) checkWritten() error {
	for _, o := range s.listOutlets() {
		if cause := o.writeError(); cause != nil && !o.reported && !errors.Is(cause, syscall.EPIPE) {
			return fmt.Errorf("write to the %s: %w", o.name, cause)
		}
	}
	return nil
}
