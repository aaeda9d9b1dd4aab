package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts decides what a Ctrl-C ends: what somebody waits for just now, or else the program. A nil one knows of no
// Ctrl-C.
type interrupts struct {
	mu    sync.Mutex
	ended context.CancelFunc // of what the next Ctrl-C ends; nil: the program
}

// divert returns a context that the next Ctrl-C ends in place of the program.
func (i *interrupts) divert(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if i == nil {
		return ctx, cancel
	}
	i.set(cancel)
	return ctx, func() { i.set(nil); cancel() }
}

func (i *interrupts) set(cancel context.CancelFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = cancel
}

// take ends what a Ctrl-C ends in place of the program, and tells whether there was any such thing.
func (i *interrupts) take() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended == nil {
		return false
	}
	i.ended()
	i.ended = nil
	return true
}

// untilStopped returns a context that ends with the first signal that is meant for the program. The second one ends the
// process at once.
func untilStopped() (context.Context, *interrupts) {
	ctx, stop := context.WithCancel(context.Background())
	arrived, i := make(chan os.Signal, 1), &interrupts{}
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer stop()
		defer signal.Stop(arrived)
		for {
			if s := <-arrived; s != os.Interrupt || !i.take() {
				return
			}
		}
	}()
	return ctx, i
}
