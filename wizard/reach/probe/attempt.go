package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// attempt is one path to one host: its name, a connection, TLS, and the protocol on top. Each step records its layer and
// evidence, and takes the steps before it if they were not taken yet. A probe that calls several hosts, or one host
// several times, makes an attempt for each.
type attempt struct {
	deps   *deps
	check  reach.Check
	target target
	layers reach.Layers
	evidence
	state *probeState

	addresses   []netip.Addr // IPv4, what the name resolves to
	resolverErr error        // why the resolver is not trusted
	conn        net.Conn     // the last layer that was reached
	secure      bool         // conn speaks TLS
	relay       *url.URL     // proxy at the end of conn that gets the requests itself, instead of a tunnel to the host; usually nil
}

type probeState struct {
	host         string // of the check; other hosts may be called, too
	began        time.Time
	timedPerCall bool        // the limit of slowness applies to each call, not to the whole probe
	warning      reach.Class // the first degradation
	notice       reach.Class // class of a finding that is worth reporting, but right
	conns        []net.Conn
	ipv6         chan string // state of IPv6; nil: not checked
	background   sync.WaitGroup
}

func newAttempt(d *deps, check reach.Check, to target) *attempt {
	return nextAttempt(d, check, to, &probeState{host: to.host, began: time.Now()})
}

func nextAttempt(d *deps, check reach.Check, to target, probe *probeState) *attempt {
	return &attempt{deps: d, check: check, target: to, layers: newLayers(reach.LayerNone), evidence: evidence{}, state: probe}
}

// again returns another attempt of the same probe at the same host.
func (a *attempt) again() *attempt { return nextAttempt(a.deps, a.check, a.target, a.state) }

// The first degradation of a probe counts.
func (a *attempt) degrade(class reach.Class) {
	if a.state.warning == "" {
		a.state.warning = class
	}
}

func (a *attempt) keep(conn net.Conn) {
	a.conn = conn
	a.state.conns = append(a.state.conns, conn)
}

// limit sets a deadline on the connection, which ends early with ctx. Call stop when it is over.
func (a *attempt) limit(ctx context.Context, d time.Duration) (stop func() bool) {
	conn := a.conn
	_ = conn.SetDeadline(time.Now().Add(d)) // a closed one fails when it is read
	return context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
}

func (a *attempt) close() {
	for _, conn := range a.state.conns {
		_ = conn.Close()
	}
	a.state.background.Wait()
}

func (a *attempt) buildFinding(err error) reach.Finding {
	if !a.state.timedPerCall && time.Since(a.state.began) >= a.deps.Limits.Slow {
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

type failure struct {
	at    *attempt
	class reach.Class
	err   error
}

func (f *failure) Error() string { return string(f.class) + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func (a *attempt) fail(layer *reach.Layer, class reach.Class, err error) error {
	*layer = reach.LayerFail
	return &failure{at: a, class: class, err: err}
}

func getClass(err error) reach.Class {
	var f *failure
	if errors.As(err, &f) {
		return f.class
	}
	return ""
}
