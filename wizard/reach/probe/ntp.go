package probe

import (
	"context"
	"time"

	"github.com/beevik/ntp"

	"exoshift/wizard/reach"
)

// Some queries get lost, and some servers of a pool are down.
const maxTimeQueries = 3

// probeTime queries the servers of a pool until one returns the right time.
func probeTime(ctx context.Context, a *attempt) error {
	a.state.timedPerCall = true // lost packets are no evidence of slowness
	servers, err := a.resolveUDP(ctx)
	if err != nil {
		return err
	}
	began, before := time.Now(), a.layers
	var first error
	var then reach.Layers
	for i := range maxTimeQueries {
		a.layers = before
		server := servers[i%len(servers)]
		answer, err := a.queryTime(ctx, server)
		if err == nil {
			a.record(reach.EvidenceAddress, server)
			a.recordDuration(reach.EvidenceHTTPTime, began)
			return a.recordClock(answer)
		}
		if first == nil || getClass(first) == reach.UDPTimeout {
			first, then = err, a.layers
		}
	}
	a.layers = then
	return first
}

func (a *attempt) queryTime(ctx context.Context, server string) (*ntp.Response, error) {
	patience := a.prober.limits.TCP / maxTimeQueries
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := a.prober.network.Dial(ctx, "udp", server)
	if err != nil {
		return nil, a.newUDPError(err)
	}
	a.recordSource(conn)
	answer, err := queryNTP(ctx, conn, patience, a.prober.now)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, a.newUDPError(ctx.Err())
	case err != nil && isNetwork(err):
		return nil, a.newUDPError(err)
	}
	a.layers.TCP = reach.LayerOK
	if err != nil {
		return nil, a.fail(&a.layers.HTTP, reach.Malformed, err)
	}
	return answer, a.validateTime(answer)
}

func (a *attempt) validateTime(answer *ntp.Response) error {
	class, degraded, err := checkTime(answer)
	if err == nil || degraded {
		return nil
	}
	if class == reach.ClockSkew {
		a.recordOffset(answer)
	}
	return a.fail(&a.layers.HTTP, class, err)
}

func (a *attempt) recordClock(answer *ntp.Response) error {
	a.layers.HTTP = reach.LayerOK
	a.recordOffset(answer)
	if class, degraded, err := checkTime(answer); degraded {
		a.record(reach.EvidenceError, err.Error())
		a.degrade(class)
	}
	return nil
}

// The evidence is e.g. "+3m12s", or "-1.204s" where fractions count.
func (a *attempt) recordOffset(answer *ntp.Response) {
	ahead, precision, sign := -answer.ClockOffset, time.Second, "+"
	if ahead.Abs() < 10*time.Second {
		precision = time.Millisecond
	}
	if ahead < 0 {
		sign = ""
	}
	a.record(reach.EvidenceSkew, sign+ahead.Round(precision).String())
}
