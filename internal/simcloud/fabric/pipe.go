package fabric

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"
)

const (
	window        = 64 << 10 // bytes in flight in one direction
	maxIdleBuffer = 1 << 10  // a drained buffer larger than this is freed
)

// pipe is one direction of a connection.
type pipe struct {
	mu       sync.Mutex
	cond     sync.Cond
	buffer   bytes.Buffer
	ended    bool  // end of file after the buffer
	readErr  error // returned by reads, whatever the buffer holds
	writeErr error // returned by writes
	readBy   deadline
	writeBy  deadline
}

func newPipe() *pipe {
	p := &pipe{}
	p.cond.L = &p.mu
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch {
		case p.readErr != nil:
			return 0, p.readErr
		case p.readBy.isExpired():
			return 0, os.ErrDeadlineExceeded
		case p.buffer.Len() > 0:
			n, err := p.buffer.Read(b)
			p.trim()
			p.cond.Broadcast()
			return n, err
		case p.ended:
			return 0, io.EOF
		}
		p.cond.Wait()
	}
}

// trim frees the memory of a drained buffer: most connections idle most of the time.
func (p *pipe) trim() {
	if p.buffer.Len() == 0 && p.buffer.Cap() > maxIdleBuffer {
		p.buffer = bytes.Buffer{}
	}
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	written := 0
	for {
		switch {
		case p.writeErr != nil:
			return written, p.writeErr
		case p.writeBy.isExpired():
			return written, os.ErrDeadlineExceeded
		}
		n := min(window-p.buffer.Len(), len(b)-written)
		if n > 0 {
			p.buffer.Write(b[written : written+n])
			written += n
			p.cond.Broadcast()
		}
		if written == len(b) {
			return written, nil
		}
		p.cond.Wait()
	}
}

// end closes the writing side: the buffer can still be read.
func (p *pipe) end(writeErr error) {
	p.update(func() {
		p.ended = true
		p.writeErr = firstError(p.writeErr, writeErr)
		p.writeBy.set(time.Time{}, nil)
	})
}

// stop closes the reading side: later reads and writes return these errors.
func (p *pipe) stop(readErr, writeErr error) {
	p.update(func() {
		p.readErr, p.writeErr = firstError(p.readErr, readErr), firstError(p.writeErr, writeErr)
		p.buffer = bytes.Buffer{}
		p.readBy.set(time.Time{}, nil)
	})
}

func (p *pipe) setReadBy(t time.Time)  { p.update(func() { p.readBy.set(t, p.notifyReaders) }) }
func (p *pipe) setWriteBy(t time.Time) { p.update(func() { p.writeBy.set(t, p.notifyReaders) }) }

func (p *pipe) notifyReaders() { p.update(func() {}) }

func (p *pipe) update(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.cond.Broadcast()
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// deadline wakes its waiters when it expires.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) set(at time.Time, wake func()) {
	d.at = at
	switch {
	case at.IsZero() || !at.After(time.Now()): // the setter wakes the waiters itself
		if d.timer != nil {
			d.timer.Stop()
		}
	case d.timer == nil:
		d.timer = time.AfterFunc(time.Until(at), wake)
	default:
		d.timer.Reset(time.Until(at))
	}
}

func (d *deadline) isExpired() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }
