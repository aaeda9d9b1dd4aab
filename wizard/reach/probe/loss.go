package probe

import (
	"context"
	"fmt"
	"slices"
	"time"

	"exoshift/wizard/reach/probe/connection"
)

// How loss is measured. Systems send the first packet of a connection again after a second, so that a connection that takes
// nearly as long has lost a packet, unless every connection takes that long.
const (
	lossConnections = 30
	lossEnough      = 3 // connections that have lost a packet, after which it ends
	lossTimeout     = 900 * time.Millisecond
	lossRoundTrip   = 450 * time.Millisecond // above which slow connections prove nothing
)

// MeasureLoss connects one after the other, as many connections at a time may be lost by themselves. An address counts that answers
// once and does not another time: what never answers is blocked.
func (p *Prober) MeasureLoss(ctx context.Context, addresses []string) string {
	addresses = slices.Compact(slices.Sorted(slices.Values(addresses)))
	if len(addresses) < 2 { // it may be about this one
		return ""
	}
	failed, answered := map[string]int{}, map[string]bool{}
	var took []time.Duration
	for tried := range lossConnections {
		if ctx.Err() != nil {
			return ""
		}
		address := addresses[tried%len(addresses)]
		if d, ok := p.timeConnection(ctx, address); ok {
			took, answered[address] = append(took, d), true
		} else {
			failed[address]++
		}
		lost, at := countLost(failed, answered)
		slices.Sort(took)
		if lost >= lossEnough && at > 1 && took[len(took)/2] <= lossRoundTrip {
			return fmt.Sprintf("%d of %d connections lost a packet", lost, tried+1)
		}
	}
	return ""
}

// countLost returns how many connections failed to addresses that answer, and to how many of these.
func countLost(failed map[string]int, answered map[string]bool) (lost, at int) {
	for address, times := range failed {
		if answered[address] {
			lost, at = lost+times, at+1
		}
	}
	return lost, at
}

// timeConnection returns how long a connection takes, or false if it takes too long. A host that refuses it has answered.
func (p *Prober) timeConnection(ctx context.Context, address string) (took time.Duration, ok bool) {
	limited, cancel := context.WithTimeout(ctx, lossTimeout)
	defer cancel()
	began := time.Now()
	conn, err := p.deps.Network.Dial(limited, "tcp", address)
	if err == nil {
		_ = conn.Close()
	}
	return time.Since(began), !connection.IsTimeout(err)
}
