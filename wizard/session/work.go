package session

import "context"

// Work is something that blocks. It runs in any goroutine, until it is done or ctx ends, and passes what it found to post as
// updates, which have to be called on the session's goroutine in their order. Updates of superseded work do nothing.
type Work func(ctx context.Context, post func(update func()))

// run is the latest background run of one kind: a later one replaces an earlier one.
type run struct {
	generation int // counts the starts and stops
	cancel     context.CancelFunc
}

func (r *run) start(do Work) Work {
	r.stop()
	stopped, cancel := context.WithCancel(context.Background())
	generation := r.generation
	r.cancel = cancel
	return func(ctx context.Context, post func(update func())) {
		ctx, end := context.WithCancel(ctx)
		defer end()
		if stopped.Err() != nil {
			end()
		}
		defer context.AfterFunc(stopped, end)()
		do(ctx, func(update func()) {
			post(func() {
				if r.generation == generation {
					update()
				}
			})
		})
	}
}

func (r *run) stop() {
	if r.cancel != nil {
		r.cancel()
	}
	r.generation++
	r.cancel = nil
}
