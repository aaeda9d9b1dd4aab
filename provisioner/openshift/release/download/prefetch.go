package download

import (
	"io"
	"sync"
)

// Sizes of a prefetcher's buffers: large enough that neither side waits for the other at each of them.
const (
	prefetchBuffers = 4
	prefetchSize    = 256 << 10 // bytes
)

// prefetcher reads from a source in its own goroutine, so that the stages before and after it run in parallel.
type prefetcher struct {
	free    chan []byte // buffers to fill
	filled  chan chunk
	stopped chan struct{}
	stop    func() // waits for the goroutine, which ends at once unless the source blocks
	current chunk
	rest    []byte // of current, not yet read
}

type chunk struct {
	content []byte
	err     error
}

func newPrefetcher(source io.Reader) *prefetcher {
	a := &prefetcher{
		free: make(chan []byte, prefetchBuffers), filled: make(chan chunk, prefetchBuffers), stopped: make(chan struct{}),
	}
	for range prefetchBuffers {
		a.free <- make([]byte, prefetchSize)
	}
	a.stop = sync.OnceFunc(a.end)
	go a.fill(source)
	return a
}

func (a *prefetcher) fill(source io.Reader) {
	defer close(a.filled)
	for {
		select {
		case <-a.stopped:
			return
		case buffer := <-a.free:
			n, err := fillBuffer(source, buffer)
			a.filled <- chunk{content: buffer[:n], err: err} // does not block: there is room for each buffer
			if err != nil {
				return
			}
		}
	}
}

// fillBuffer returns the error of source unchanged, unlike io.ReadFull.
func fillBuffer(source io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = source.Read(buffer[n:])
		n += more
	}
	return n, err
}

// Read implements io.Reader. After the error of the source it must not be called again.
func (a *prefetcher) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.current.err != nil {
			return 0, a.current.err
		}
		if a.current.content != nil {
			a.free <- a.current.content[:prefetchSize]
		}
		a.current = <-a.filled
		a.rest = a.current.content
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

func (a *prefetcher) end() {
	close(a.stopped)
	for range a.filled {
		continue // until it is closed
	}
}
