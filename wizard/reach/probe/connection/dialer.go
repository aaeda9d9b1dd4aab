package connection

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/network"
)

// The next address is tried, too, after this delay.
const attemptDelay = 300 * time.Millisecond

// dialer dials the addresses of one host.
type dialer struct {
	network   network.Network
	addresses []netip.Addr
	port      string
}

type dialed struct {
	index int
	conn  net.Conn
	err   error
}

// Addresses are tried in order, each with a head start before the next. If none answers, the first address's error
// counts.
func (d dialer) dialFirst(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	results, failures := make(chan dialed, len(d.addresses)), make([]error, len(d.addresses))
	var dialing sync.WaitGroup
	defer func() { cancel(); dialing.Wait(); closeAll(results) }()
	for next, failed := 0, 0; failed < len(failures); {
		if next < len(failures) {
			index := next
			dialing.Go(func() { results <- d.dial(ctx, index) })
			next++
		}
		select {
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			failures[r.index] = r.err
			failed++
		case <-waitDelay(next < len(failures)):
		}
	}
	return nil, failures[0]
}

func (d dialer) dial(ctx context.Context, index int) dialed {
	conn, err := d.network.Dial(ctx, "tcp", net.JoinHostPort(d.addresses[index].String(), d.port))
	return dialed{index: index, conn: conn, err: err}
}

func waitDelay(another bool) <-chan time.Time {
	if !another {
		return nil
	}
	return time.NewTimer(attemptDelay).C
}

func closeAll(results chan dialed) {
	close(results)
	for late := range results {
		if late.err == nil {
			_ = late.conn.Close()
		}
	}
}
