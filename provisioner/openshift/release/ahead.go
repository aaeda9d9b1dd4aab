package release

import (
	"io"
	"sync"
)

// The buffers of an ahead: enough that neither side waits for the other at each of them.
const (
	aheadBuffers = 4
	aheadSize    = 256 << 10 // bytes
)

// ahead reads from a source in a goroutine of its own, so that what comes before and after it use a processor each.
type ahead struct {
	free    chan []byte // buffers to fill
	filled  chan piece
	stopped chan struct{}
	stop    func() // waits for the goroutine, which ends at once if nothing holds the source up
	current piece
	rest    []byte // of current, not yet handed out
}

// piece is a filled buffer, and the error that came after it.
type piece struct {
	content []byte
	err     error
}

// readAhead starts to read from source, until its first error or stop.
func readAhead(source io.Reader) *ahead {
	a := &ahead{
		free: make(chan []byte, aheadBuffers), filled: make(chan piece, aheadBuffers), stopped: make(chan struct{}),
	}
	for range aheadBuffers {
		a.free <- make([]byte, aheadSize)
	}
	a.stop = sync.OnceFunc(a.end)
	go a.fill(source)
	return a
}

func (a *ahead) fill(source io.Reader) {
	defer close(a.filled)
	for {
		select {
		case <-a.stopped:
			return
		case buffer := <-a.free:
			n, err := fillBuffer(source, buffer)
			a.filled <- piece{content: buffer[:n], err: err} // there is room for each buffer
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
func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.current.err != nil {
			return 0, a.current.err
		}
		if a.current.content != nil {
			a.free <- a.current.content[:aheadSize]
		}
		a.current = <-a.filled
		a.rest = a.current.content
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

func (a *ahead) end() {
	close(a.stopped)
	for range a.filled {
		continue // until it is closed
	}
}
