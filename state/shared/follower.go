package shared

import (
	"context"
	"time"
)

// replacementInterval is how often a follower checks whether its stream was stored anew, as it is at the beginning of each run.
const replacementInterval = 10 * time.Second

// Follower reads what is appended to a stream, wherever its writer runs. It is for one goroutine.
type Follower struct {
	repository *repository
	id, stream string
	fixed      bool // the stream is never stored anew

	looked     time.Time
	generation int
	next       int
	delivered  int // bytes
	skip       int // bytes that a stream that was stored anew begins with, and that are delivered already
}

// Poll returns the lines that are new since the last call; none if there are none.
func (f *Follower) Poll(ctx context.Context) ([]byte, error) {
	if err := f.findGeneration(ctx); err != nil || f.next == 0 {
		return nil, err
	}
	var lines []byte
	for {
		_, part, err := f.repository.getSegment(ctx, f.id, f.stream, f.generation, f.next)
		if isNextMissing(err) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		f.next++
		known := min(f.skip, len(part))
		f.skip -= known
		f.delivered += len(part) - known
		lines = append(lines, part[known:]...)
	}
}

func (f *Follower) findGeneration(ctx context.Context) error {
	if f.fixed || f.next > 0 && time.Since(f.looked) < replacementInterval {
		return nil
	}
	head, _, err := f.repository.readHead(ctx, f.id)
	if err != nil {
		return err
	}
	f.looked = time.Now()
	if current := head.Streams[f.stream].Generation; current > 0 && current != f.generation {
		f.generation, f.next, f.skip = current, 1, f.delivered
	}
	return nil
}
