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
		answer, err := queryTime(ctx, a, server)
		if err == nil {
			a.record(reach.EvidenceAddress, server)
			a.recordDuration(reach.EvidenceHTTPTime, began)
			return recordClock(a, answer)
		}
		if first == nil || getClass(first) == reach.UDPTimeout {
			first, then = err, a.layers
		}
	}
	a.layers = then
	return first
}

func queryTime(ctx context.Context, a *attempt, server string) (*ntp.Response, error) {
	patience := a.deps.Limits.TCP / maxTimeQueries
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := a.deps.Network.Dial(ctx, "udp", server)
	if err != nil {
		return nil, a.newUDPError(err)
	}
	a.recordSource(conn)
	answer, err := queryNTP(ctx, conn, patience, a.deps.Now)
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
	return answer, validateTime(a, answer)
}

func validateTime(a *attempt, answer *ntp.Response) error {
	class, degraded, err := checkTime(answer)
	if err == nil || degraded {
		return nil
	}
	if class == reach.ClockSkew {
		recordOffset(a, answer)
	}
	return a.fail(&a.layers.HTTP, class, err)
}

func recordClock(a *attempt, answer *ntp.Response) error {
	a.layers.HTTP = reach.LayerOK
	recordOffset(a, answer)
	if class, degraded, err := checkTime(answer); degraded {
		a.record(reach.EvidenceError, err.Error())
		a.degrade(class)
	}
	return nil
}

// The evidence is e.g. "+3m12s", or "-1.204s" where fractions count.
func recordOffset(a *attempt, answer *ntp.Response) {
	ahead, precision, sign := -answer.ClockOffset, time.Second, "+"
	if ahead.Abs() < 10*time.Second {
		precision = time.Millisecond
	}
	if ahead < 0 {
		sign = ""
	}
	a.record(reach.EvidenceSkew, sign+ahead.Round(precision).String())
}
