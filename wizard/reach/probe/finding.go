package probe

import (
	"errors"
	"net"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// buildFinding makes the finding of a probe out of its first attempt and the failure that ended it, if one did.
func (a *attempt) buildFinding(err error) reach.Finding {
	if !a.state.timedPerCall && time.Since(a.state.began) >= a.prober.limits.Slow {
		a.degrade(reach.Slow)
	}
	a.recordDuration(reach.EvidenceTime, a.state.began)
	a.recordIPv6()
	if errors.Is(err, errNoDatagrams) {
		return reach.Finding{Layers: a.layers, Unknown: errNoDatagrams.Error()}
	}
	if err != nil {
		return a.buildFailure(err)
	}
	finding := reach.Finding{Class: a.state.warning, Degraded: a.state.warning != "", Layers: a.layers, Evidence: a.evidence}
	if finding.Class == "" {
		finding.Class = a.state.notice
	}
	if finding.Class == reach.ClockSkew && a.check.Group == signedGroup {
		finding.Degraded, finding.Layers.HTTP = false, reach.LayerFail
	}
	return finding
}

// buildFailure shows the host where a probe ended. What a name leads to that should not be believed says nothing about the
// service: then it is the name that failed.
func (a *attempt) buildFailure(err error) reach.Finding {
	f := &failure{at: a, class: reach.Malformed, err: err}
	_ = errors.As(err, &f) // any other error is one about what was said
	at := f.at
	at.record(reach.EvidenceError, formatError(f.err))
	at.evidence[reach.EvidenceTime] = a.evidence[reach.EvidenceTime]
	if at.target.host != a.target.host {
		at.record(reach.EvidenceHost, at.target.address())
	} else if ipv6, seen := a.evidence[reach.EvidenceIPv6]; seen {
		at.evidence[reach.EvidenceIPv6] = ipv6
	}
	if at.resolverErr != nil && f.class != reach.Captive {
		f.class, at.layers = reach.SplitView, newLayers(reach.LayerFail)
		at.record(reach.EvidenceError, at.resolverErr.Error())
	}
	return reach.Finding{Class: f.class, Layers: at.layers, Evidence: at.evidence}
}

// newLayers returns layers of which none but the first was come to.
func newLayers(dns reach.Layer) reach.Layers {
	return reach.Layers{DNS: dns, TCP: reach.LayerNone, TLS: reach.LayerNone, HTTP: reach.LayerNone}
}

// formatError returns the sentence about an error: short for those of the network, as it is for all others.
func formatError(err error) string {
	var lookup *net.DNSError
	var connection *net.OpError
	if errors.As(err, &connection) || errors.As(err, &lookup) || isTimeout(err) || isCut(err) {
		return network.DescribeError(err).Sentence
	}
	return err.Error()
}
