package probe

import (
	"errors"
	"net"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// finding makes the finding of a probe out of its first attempt and the failure that ended it, if one did.
func (a *attempt) finding(err error) reach.Finding {
	if !a.probe.steps && time.Since(a.probe.began) >= a.prober.limits.Slow {
		a.degrade(reach.Slow)
	}
	a.noteTime(reach.EvidenceTime, a.probe.began)
	a.noteIPv6()
	if errors.Is(err, errNoDatagrams) {
		return reach.Finding{Layers: a.layers, Unknown: errNoDatagrams.Error()}
	}
	if err != nil {
		return a.failed(err)
	}
	finding := reach.Finding{Class: a.probe.remark, Degraded: a.probe.remark != "", Layers: a.layers, Evidence: a.evidence}
	if finding.Class == "" {
		finding.Class = a.probe.aside
	}
	if finding.Class == reach.ClockSkew && a.check.Group == signedGroup {
		finding.Degraded, finding.Layers.HTTP = false, reach.LayerFail
	}
	return finding
}

// failed shows the host where a probe ended. What a name leads to that should not be believed says nothing about the
// service: then it is the name that failed.
func (a *attempt) failed(err error) reach.Finding {
	f := &failure{at: a, class: reach.Malformed, err: err}
	_ = errors.As(err, &f) // any other error is one about what was said
	at := f.at
	at.note(reach.EvidenceError, explain(f.err))
	at.evidence[reach.EvidenceTime] = a.evidence[reach.EvidenceTime]
	if at.target.host != a.target.host {
		at.note(reach.EvidenceHost, at.target.address())
	} else if ipv6, seen := a.evidence[reach.EvidenceIPv6]; seen {
		at.evidence[reach.EvidenceIPv6] = ipv6
	}
	if at.suspect != nil && f.class != reach.Captive {
		f.class, at.layers = reach.SplitView, layers(reach.LayerFail)
		at.note(reach.EvidenceError, at.suspect.Error())
	}
	return reach.Finding{Class: f.class, Layers: at.layers, Evidence: at.evidence}
}

// layers returns layers of which none but the first was come to.
func layers(dns reach.Layer) reach.Layers {
	return reach.Layers{DNS: dns, TCP: reach.LayerNone, TLS: reach.LayerNone, HTTP: reach.LayerNone}
}

// explain returns the sentence about an error: short for those of the network, as it is for all others.
func explain(err error) string {
	var lookup *net.DNSError
	var connection *net.OpError
	if errors.As(err, &connection) || errors.As(err, &lookup) || isTimeout(err) || isCut(err) {
		return network.Explain(err).Sentence
	}
	return err.Error()
}
