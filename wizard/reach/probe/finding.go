package probe

import (
	"errors"
	"net"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

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

// The evidence names the host where the probe ended. If the name resolved to an untrusted address, DNS is the layer that
// failed, and the service is unknown.
func (a *attempt) buildFailure(err error) reach.Finding {
	f := &failure{at: a, class: reach.Malformed, err: err}
	_ = errors.As(err, &f) // any other error is about the content of an answer
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

func newLayers(dns reach.Layer) reach.Layers {
	return reach.Layers{DNS: dns, TCP: reach.LayerNone, TLS: reach.LayerNone, HTTP: reach.LayerNone}
}

func formatError(err error) string {
	var lookup *net.DNSError
	var connection *net.OpError
	if errors.As(err, &connection) || errors.As(err, &lookup) || isTimeout(err) || isCut(err) {
		return network.DescribeError(err).Sentence
	}
	return err.Error()
}
