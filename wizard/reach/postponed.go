package reach

import (
	"context"
	"net"
)

// LossMeter is a Prober that can measure whether the network loses packets.
type LossMeter interface {
	// MeasureLoss connects to some of these addresses, "host:port" of what was reached before, one after the other. It returns
	// what it saw, e.g. "3 of 8 connections lost a packet", "" if the network loses nothing to speak of.
	MeasureLoss(ctx context.Context, addresses []string) string
}

// postponed keeps the outcomes for which the other probes of the run, or a network that loses packets, may be to blame, until
// nothing else is probed.
type postponed struct {
	checks    []Check
	repeater  Repeater        // nil: nothing is repeated
	meter     LossMeter       // nil: loss is not measured
	doubtful  []outcome       // see outcome.isDoubtful
	timeouts  []outcome       // other timeouts
	silent    []outcome       // those of a proxy
	addresses []string        // to which connections were made, and of name servers that answered
	answered  map[string]bool // name servers that answered
	connected map[string]bool // proxies that made a connection
}

func newPostponed(checks []Check, prober Prober) *postponed {
	p := &postponed{checks: checks, answered: map[string]bool{}, connected: map[string]bool{}}
	p.repeater, _ = prober.(Repeater)
	p.meter, _ = prober.(LossMeter)
	return p
}

// recordAnswers keeps who has answered.
func (p *postponed) recordAnswers(found Finding) {
	if address := found.Evidence[EvidenceAddress]; address != "" && found.Layers.TCP == LayerOK {
		p.addresses = append(p.addresses, address)
	}
	if resolver := found.Evidence[EvidenceResolver]; resolver != "" && found.Layers.DNS == LayerOK && !p.answered[resolver] {
		p.answered[resolver] = true
		p.addresses = append(p.addresses, net.JoinHostPort(resolver, "53"))
	}
	if proxy := found.Evidence[EvidenceProxy]; proxy != "" && found.Layers.TCP == LayerOK {
		p.connected[proxy] = true
	}
}

// take keeps an outcome, or returns false if it is certain.
func (p *postponed) take(o outcome) bool {
	p.recordAnswers(o.finding)
	switch {
	case p.repeater == nil:
		return false
	case o.err == nil && o.finding.Class == ProxySilent:
		p.silent = append(p.silent, o)
	case o.isDoubtful():
		p.doubtful = append(p.doubtful, o)
	case o.isTimeout() && (p.meter != nil || o.finding.Class == DNSTimeout):
		p.timeouts = append(p.timeouts, o)
	default:
		return false
	}
	return true
}

// isTimeout reports whether a single packet that was lost may be to blame.
func (o outcome) isTimeout() bool {
	switch o.finding.Class {
	case TCPTimeout, UDPTimeout, DNSTimeout, TLSTimeout, HTTPTimeout:
		return o.err == nil && !o.finding.IsReached()
	}
	return false
}

// finish records one outcome of each check that was kept. A proxy or name server that answered the others was not silent: it had
// too much to do, or a packet was lost.
func (p *postponed) finish(ctx context.Context, record func(outcome)) {
	for _, o := range p.silent {
		if p.connected[o.finding.Evidence[EvidenceProxy]] {
			p.doubtful = append(p.doubtful, o)
		} else {
			record(o)
		}
	}
	loss := ""
	if p.meter != nil && len(p.doubtful)+len(p.timeouts) > 0 {
		loss = p.meter.MeasureLoss(ctx, p.addresses)
	}
	if loss != "" {
		lossRepetition{repetition{p.checks, p.repeater, record}, loss, p.answered}.run(ctx, append(p.timeouts, p.doubtful...))
		return
	}
	for _, o := range p.timeouts {
		if o.finding.Class == DNSTimeout && p.answered[o.finding.Evidence[EvidenceResolver]] {
			p.doubtful = append(p.doubtful, o)
		} else {
			record(o)
		}
	}
	if len(p.doubtful) > 0 {
		repetition{p.checks, p.repeater, record}.run(ctx, p.doubtful)
	}
}

// lossRepetition probes again what failed in a network that loses packets. What succeeds then, and what got a connection at
// least, or no answer of a name server that answers others, failed because of the loss. What never got a connection keeps its own
// cause: a firewall may be in the way besides.
type lossRepetition struct {
	repetition
	loss     string          // what was measured
	answered map[string]bool // name servers that answered
}

const (
	lossAttempts = 2
	lossWidth    = 16 // probes at the same time
)

func (r lossRepetition) run(parent context.Context, queue []outcome) {
	ctx, cancel := context.WithTimeoutCause(parent, totalLimit, errTimeUp)
	defer cancel()
	for range lossAttempts {
		var failed []outcome
		for len(queue) > 0 && ctx.Err() == nil {
			batch := queue[:min(lossWidth, len(queue))]
			queue = queue[len(batch):]
			for i, again := range r.probe(ctx, batch) {
				if again.err == nil && again.finding.IsReached() {
					r.record(again.blameLoss(r.loss))
				} else {
					failed = append(failed, batch[i])
				}
			}
		}
		queue = append(failed, queue...)
	}
	for _, o := range queue {
		lost := o.finding.Class == DNSTimeout && r.answered[o.finding.Evidence[EvidenceResolver]]
		if lost || o.finding.Layers.TCP == LayerOK {
			o = o.blameLoss(r.loss)
		}
		r.record(o)
	}
}

// blameLoss makes loss the cause of a failure, or of a success at a later attempt only.
func (o outcome) blameLoss(loss string) outcome {
	o.finding.Degraded = o.finding.IsReached()
	o.finding.Class, o.finding.Evidence = Loss, withEvidence(o.finding.Evidence, EvidenceLoss, loss)
	return o
}
