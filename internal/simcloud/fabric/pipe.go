package fabric

import (
	"bytes"
	"io"
	"os"
	"sync"
	"time"
)

const window = 64 << 10 // bytes in flight in one direction

// buffers keeps the buffers that no pipe needs at the moment. Most connections idle most of the time, so few serve many.
type buffers struct{ pool sync.Pool }

func (b *buffers) take() *bytes.Buffer {
	if kept, ok := b.pool.Get().(*bytes.Buffer); ok {
		return kept
	}
	return new(bytes.Buffer)
}

func (b *buffers) put(drained *bytes.Buffer) {
	drained.Reset()
	b.pool.Put(drained)
}

// pipe is one direction of a connection.
type pipe struct {
	mu       sync.Mutex
	cond     sync.Cond
	shared   *buffers
	buffer   *bytes.Buffer // nil if it is empty
	ended    bool          // end of file after the buffer
	readErr  error         // returned by reads, whatever the buffer holds
	writeErr error         // returned by writes
	readBy   deadline
	writeBy  deadline
}

func newPipe(shared *buffers) *pipe {
	p := &pipe{shared: shared}
	p.cond.L = &p.mu
	return p
}

func (p *pipe) read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.awaitContent(); err != nil {
		return 0, err
	}
	n, err := p.buffer.Read(b)
	if p.buffer.Len() == 0 {
		p.shared.put(p.buffer)
		p.buffer = nil
	}
	p.cond.Broadcast()
	return n, err
}

// takeAll reads everything that is in flight. The caller puts the buffer back.
func (p *pipe) takeAll() (*bytes.Buffer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.awaitContent(); err != nil {
		return nil, err
	}
	taken := p.buffer
	p.buffer = nil
	p.cond.Broadcast()
	return taken, nil
}

// awaitContent returns once there is something to read, or why there is nothing. The caller holds the lock.
func (p *pipe) awaitContent() error {
	for {
		switch {
		case p.readErr != nil:
			return p.readErr
		case p.readBy.isExpired():
			return os.ErrDeadlineExceeded
		case p.buffer != nil:
			return nil
		case p.ended:
			return io.EOF
		}
		p.cond.Wait()
	}
}

func (p *pipe) size() int {
	if p.buffer == nil {
		return 0
	}
	return p.buffer.Len()
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
		n := min(window-p.size(), len(b)-written)
		if n > 0 {
			if p.buffer == nil {
				p.buffer = p.shared.take()
			}
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
		p.buffer = nil
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
