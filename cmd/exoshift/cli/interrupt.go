package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// InterruptHandler decides what a Ctrl-C cancels: the current wait, or else the program. A nil handler is valid, and handles
// no Ctrl-C.
type InterruptHandler struct {
	mu    sync.Mutex
	ended context.CancelFunc // cancelled by the next Ctrl-C; nil: the program
}

func (i *InterruptHandler) withInterrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if i == nil {
		return ctx, cancel
	}
	i.set(cancel)
	return ctx, func() { i.set(nil); cancel() }
}

func (i *InterruptHandler) set(cancel context.CancelFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = cancel
}

func (i *InterruptHandler) take() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended == nil {
		return false
	}
	i.ended()
	i.ended = nil
	return true
}

// NotifyInterrupt returns a context that is cancelled by the first signal. A second Ctrl-C or SIGTERM ends the process at
// once. A second SIGHUP does not: when a terminal disappears, the kernel and the shell both send one. SIGHUP stays ignored if
// it was from the start, as under nohup. A closed pipe is an error of its writers, not a signal.
func NotifyInterrupt() (context.Context, *InterruptHandler) {
	ctx, stop := context.WithCancel(context.Background())
	arrived, hungUp, i := make(chan os.Signal, 1), make(chan os.Signal, 1), &InterruptHandler{}
	signal.Notify(arrived, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hungUp, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // not Ignore, which child processes would inherit
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
