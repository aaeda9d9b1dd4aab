package probe

import (
	"context"
	"time"

	"github.com/beevik/ntp"

	"exoshift/wizard/reach"
)

// timeQuestions is how many questions are sent at most: some get lost, and some servers of a pool are down.
const timeQuestions = 3

// probeTime asks a time server, or the servers of a pool until one tells the right time.
func probeTime(ctx context.Context, a *attempt) error {
	a.probe.steps = true // what got lost says nothing about speed
	servers, err := a.datagrams(ctx)
	if err != nil {
		return err
	}
	began, before := time.Now(), a.layers
	var first error
	var then reach.Layers
	for i := range timeQuestions {
		a.layers = before
		server := servers[i%len(servers)]
		answer, err := a.askTime(ctx, server)
		if err == nil {
			a.note(reach.EvidenceAddress, server)
			a.noteTime(reach.EvidenceHTTPTime, began)
			return a.rightTime(answer)
		}
		if first == nil || classOf(first) == reach.UDPTimeout {
			first, then = err, a.layers
		}
	}
	a.layers = then
	return first
}

// askTime asks one server, and returns an answer that can be used.
func (a *attempt) askTime(ctx context.Context, server string) (*ntp.Response, error) {
	patience := a.prober.limits.TCP / timeQuestions
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := a.prober.network.Dial(ctx, "udp", server)
	if err != nil {
		return nil, a.unheard(err)
	}
	a.noteSource(conn)
	answer, err := askTime(ctx, conn, patience, a.prober.now)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, a.unheard(ctx.Err())
	case err != nil && isNetwork(err):
		return nil, a.unheard(err)
	}
	a.layers.TCP = reach.LayerOK
	if err != nil {
		return nil, a.fail(&a.layers.HTTP, reach.Malformed, err)
	}
	return answer, a.usable(answer)
}

// usable says what keeps an answer from being used.
func (a *attempt) usable(answer *ntp.Response) error {
	class, degraded, err := judgeTime(answer)
	if err == nil || degraded {
		return nil
	}
	if class == reach.ClockSkew {
		a.noteOffset(answer)
	}
	return a.fail(&a.layers.HTTP, class, err)
}

// rightTime notes how right this machine's clock is.
func (a *attempt) rightTime(answer *ntp.Response) error {
	a.layers.HTTP = reach.LayerOK
	a.noteOffset(answer)
	if class, degraded, err := judgeTime(answer); degraded {
		a.note(reach.EvidenceError, err.Error())
		a.degrade(class)
	}
	return nil
}

// noteOffset keeps how far this machine's clock is ahead, e.g. "+3m12s", or "-1.204s" where that counts.
func (a *attempt) noteOffset(answer *ntp.Response) {
	ahead, precision, sign := -answer.ClockOffset, time.Second, "+"
	if ahead.Abs() < 10*time.Second {
		precision = time.Millisecond
	}
	if ahead < 0 {
		sign = ""
	}
	a.note(reach.EvidenceSkew, sign+ahead.Round(precision).String())
}
