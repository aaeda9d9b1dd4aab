package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interruptHandler decides what a Ctrl-C ends: what somebody waits for just now, or else the program. A nil one knows of no
// Ctrl-C.
type interruptHandler struct {
	mu    sync.Mutex
	ended context.CancelFunc // of what the next Ctrl-C ends; nil: the program
}

// withInterrupt returns a context that the next Ctrl-C ends in place of the program.
func (i *interruptHandler) withInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if i == nil {
		return ctx, cancel
	}
	i.set(cancel)
	return ctx, func() { i.set(nil); cancel() }
}

func (i *interruptHandler) set(cancel context.CancelFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = cancel
}

// take ends what a Ctrl-C ends in place of the program, and tells whether there was any such thing.
func (i *interruptHandler) take() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended == nil {
		return false
	}
	i.ended()
	i.ended = nil
	return true
}

// notifyInterrupt returns a context that ends with the first signal that is meant for the program. A second Ctrl-C or SIGTERM
// ends the process at once. A second SIGHUP does not: of a terminal that goes away, the kernel and the shell both tell. Who
// ignores SIGHUP from the start, as under nohup, is not stopped by it. A closed pipe is an error of who writes to it, and
// no signal.
func notifyInterrupt() (context.Context, *interruptHandler) {
	ctx, stop := context.WithCancel(context.Background())
	arrived, hungUp, i := make(chan os.Signal, 1), make(chan os.Signal, 1), &interruptHandler{}
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hungUp, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // not Ignore, which other programs would inherit
	go func() {
		defer stop()
		defer signal.Stop(arrived)
		for {
			select {
			case <-hungUp:
				return
			case s := <-arrived:
				if s != os.Interrupt || !i.take() {
					return
				}
			}
		}
	}()
	return ctx, i
}
