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
// its disk is full. From the first error on, what is written goes nowhere, and nobody who writes fails.
type outlet struct {
	name string // for people
	file *os.File

	mu   sync.Mutex
	lost error // the first error
	told bool
}

// Write never fails.
func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost == nil {
		_, o.lost = o.file.Write(p)
	}
	return len(p), nil
}

// Fd lets a terminal be known as one.
func (o *outlet) Fd() uintptr { return o.file.Fd() }

// cause returns why nothing is printed any more; nil if all was.
func (o *outlet) cause() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var local *os.PathError
	if errors.As(o.lost, &local) {
		return local.Err
	}
	return o.lost
}

// outlets are those of the outputs that may end.
func (s streams) outlets() (all []*outlet) {
	for _, w := range []io.Writer{s.out, s.err} {
		if o, is := w.(*outlet); is {
			all = append(all, o)
		}
	}
	return all
}

// closed tells whether nobody reads the standard output any more.
func (s streams) closed() bool {
	o, is := s.out.(*outlet)
	return is && o.cause() != nil
}

// screen is the standard output as the terminal that it is.
func (s streams) screen() io.Writer {
	if o, is := s.out.(*outlet); is {
		return o.file
	}
	return s.out
}

// tellLost says at the end of a run which output ended before it, to whoever still reads and to the run's log. events is
// where all of the run is recorded; "" if nothing of it is kept.
func (s streams) tellLost(events string, log func(line string)) {
	for _, o := range s.outlets() {
		if cause := o.cause(); cause != nil {
			line := fmt.Sprintf("the %s was closed before the run had ended (%v); the run went on", o.name, cause)
			if events != "" {
				line += ", and its events are in " + events
			}
			log(line)
			fmt.Fprintln(s.err, "exoshift:", console.Clean(line))
			o.told = true
		}
	}
}

// unprinted is the failure of a command that was there to print something, if that came to nothing. A reader who left
// has what he wanted.
func (s streams) unprinted() error {
	for _, o := range s.outlets() {
		if cause := o.cause(); cause != nil && !o.told && !errors.Is(cause, syscall.EPIPE) {
			return fmt.Errorf("write to the %s: %w", o.name, cause)
		}
	}
	return nil
}
