package probe

import (
	"context"
	"net"
	"sync"
	"time"

	"exoshift/wizard/reach"
)

// The next address is tried, too, after this delay.
const attemptDelay = 300 * time.Millisecond

func (a *attempt) connect(ctx context.Context) error {
	if a.conn != nil {
		return nil
	}
	proxy, err := a.findProxy()
	switch {
	case err != nil:
		return a.fail(&a.layers.TCP, reach.ProxyRefused, err)
	case proxy != nil:
		return a.connectProxy(ctx, proxy)
	}
	a.watchIPv6(ctx)
	if err := a.resolve(ctx); err != nil {
		return err
	}
	return a.connectDirect(ctx)
}

func (a *attempt) connectDirect(parent context.Context) error {
	ctx, cancel := context.WithTimeout(parent, a.prober.limits.TCP)
	defer cancel()
	began := time.Now()
	conn, err := a.connectFirst(ctx)
	a.recordDuration(reach.EvidenceTCPTime, began)
	if err != nil {
		a.recordRoute(parent)
		a.record(a.getFamilyKey(), formatError(err))
		return a.fail(&a.layers.TCP, mapConnectError(err), err)
	}
	a.layers.TCP = reach.LayerOK
	a.record(a.getFamilyKey(), "ok")
	a.record(reach.EvidenceAddress, conn.RemoteAddr().String())
	a.recordSource(conn)
	a.keep(conn)
	return nil
}

type connection struct {
	index int
	conn  net.Conn
	err   error
}

// Addresses are tried in order, each with a head start before the next. If none answers, the first address's error
// counts.
func (a *attempt) connectFirst(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	results, failures := make(chan connection, len(a.addresses)), make([]error, len(a.addresses))
	var dialing sync.WaitGroup
	defer func() { cancel(); dialing.Wait(); closeAll(results) }()
	for next, failed := 0, 0; failed < len(failures); {
		if next < len(failures) {
			index := next
			dialing.Go(func() { results <- a.dial(ctx, index) })
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

func (a *attempt) dial(ctx context.Context, index int) connection {
	conn, err := a.prober.network.Dial(ctx, "tcp", net.JoinHostPort(a.addresses[index].String(), a.target.port))
	return connection{index: index, conn: conn, err: err}
}

func waitDelay(another bool) <-chan time.Time {
	if !another {
		return nil
	}
	return time.NewTimer(attemptDelay).C
}

func closeAll(results chan connection) {
	close(results)
	for late := range results {
		if late.err == nil {
			_ = late.conn.Close()
		}
	}
}
