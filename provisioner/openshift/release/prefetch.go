package release

import (
	"io"
	"sync"
)

// The buffers of an ahead: enough that neither side waits for the other at each of them.
const (
	prefetchBuffers = 4
	prefetchSize    = 256 << 10 // bytes
)

// prefetcher reads from a source in a goroutine of its own, so that what comes before and after it use a processor each.
type prefetcher struct {
	free    chan []byte // buffers to fill
	filled  chan chunk
	stopped chan struct{}
	stop    func() // waits for the goroutine, which ends at once if nothing holds the source up
	current chunk
	rest    []byte // of current, not yet handed out
}

// chunk is a filled buffer, and the error that came after it.
type chunk struct {
	content []byte
	err     error
}

// newPrefetcher starts to read from source, until its first error or stop.
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
			a.filled <- chunk{content: buffer[:n], err: err} // there is room for each buffer
			if err != nil {
				return
			}
		}
	}
}

// fillBuffer keeps the error of source as it is, unlike io.ReadFull.
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
