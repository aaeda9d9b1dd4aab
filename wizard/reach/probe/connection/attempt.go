// Package connection goes along the layers of a connection to one host: its name, the transport, TLS, HTTP. It records evidence,
// and finds out which layer fails and what stands in the way.
package connection

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

// Attempt is one path to one host: its name, a connection, TLS, and the protocol on top. Each step records its layer and
// evidence, and takes the steps before it if they were not taken yet. A probe that calls several hosts, or one host
// several times, makes an attempt for each.
type Attempt struct {
	Deps   *Deps
	Check  reach.Check
	Target Target
	Layers reach.Layers
	Evidence
	state *probeState

	addresses   []netip.Addr // IPv4, what the name resolves to
	resolverErr error        // why the resolver is not trusted
	Conn        net.Conn     // the last layer that was reached
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

// NewAttempt returns the first attempt of a probe. Close it when the probe has ended.
func NewAttempt(d *Deps, check reach.Check, to Target) *Attempt {
	return nextAttempt(d, check, to, &probeState{host: to.Host, began: time.Now()})
}

func nextAttempt(d *Deps, check reach.Check, to Target, probe *probeState) *Attempt {
	return &Attempt{Deps: d, Check: check, Target: to, Layers: NewLayers(reach.LayerNone), Evidence: Evidence{}, state: probe}
}

// Again returns another attempt of the same probe at the same host.
func (a *Attempt) Again() *Attempt { return nextAttempt(a.Deps, a.Check, a.Target, a.state) }

// Degrade marks the service as reached, but with a defect. The first degradation of a probe counts.
func (a *Attempt) Degrade(class reach.Class) {
	if a.state.warning == "" {
		a.state.warning = class
	}
}

// TimePerCall applies the limit of slowness to each call, not to the whole probe.
func (a *Attempt) TimePerCall() { a.state.timedPerCall = true }

// Notice sets the class of a finding that is worth reporting, but right.
func (a *Attempt) Notice(class reach.Class) { a.state.notice = class }

// Keep makes conn the connection of the attempt; Close closes it.
func (a *Attempt) Keep(conn net.Conn) {
	a.Conn = conn
	a.state.conns = append(a.state.conns, conn)
}

// Limit sets a deadline on the connection, which ends early with ctx. Call stop when it is over.
func (a *Attempt) Limit(ctx context.Context, d time.Duration) (stop func() bool) {
	conn := a.Conn
	_ = conn.SetDeadline(time.Now().Add(d)) // a closed one fails when it is read
	return context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
}

// Close closes the connections of all attempts of the probe.
func (a *Attempt) Close() {
	for _, conn := range a.state.conns {
		_ = conn.Close()
	}
	a.state.background.Wait()
}

// BuildFinding returns the finding of a probe that ended with err, or well with nil.
func (a *Attempt) BuildFinding(err error) reach.Finding {
	if !a.state.timedPerCall && time.Since(a.state.began) >= a.Deps.Limits.Slow {
		a.Degrade(reach.Slow)
	}
	a.RecordDuration(reach.EvidenceTime, a.state.began)
	a.recordIPv6()
	if errors.Is(err, ErrNoDatagrams) {
		return reach.Finding{Layers: a.Layers, Unknown: ErrNoDatagrams.Error()}
	}
	if err != nil {
		return a.buildFailure(err)
	}
	finding := reach.Finding{Class: a.state.warning, Degraded: a.state.warning != "", Layers: a.Layers, Evidence: a.Evidence}
	if finding.Class == "" {
		finding.Class = a.state.notice
	}
	if finding.Class == reach.ClockSkew && a.Check.Group == signedGroup {
		finding.Degraded, finding.Layers.HTTP = false, reach.LayerFail
	}
	return finding
}

// The evidence names the host where the probe ended. If the name resolved to an untrusted address, DNS is the layer that
// failed, and the service is unknown.
func (a *Attempt) buildFailure(err error) reach.Finding {
	f := &failure{at: a, class: reach.Malformed, err: err}
	_ = errors.As(err, &f) // any other error is about the content of an answer
	at := f.at
	at.Record(reach.EvidenceError, FormatError(f.err))
	at.Evidence[reach.EvidenceTime] = a.Evidence[reach.EvidenceTime]
	if at.Target.Host != a.Target.Host {
		at.Record(reach.EvidenceHost, at.Target.Address())
	} else if ipv6, seen := a.Evidence[reach.EvidenceIPv6]; seen {
		at.Evidence[reach.EvidenceIPv6] = ipv6
	}
	if at.resolverErr != nil && f.class != reach.Captive {
		f.class, at.Layers = reach.SplitView, NewLayers(reach.LayerFail)
		at.Record(reach.EvidenceError, at.resolverErr.Error())
	}
	return reach.Finding{Class: f.class, Layers: at.Layers, Evidence: at.Evidence}
}

// NewLayers returns layers of which only the first was reached, or none.
func NewLayers(dns reach.Layer) reach.Layers {
	return reach.Layers{DNS: dns, TCP: reach.LayerNone, TLS: reach.LayerNone, HTTP: reach.LayerNone}
}

// FormatError returns the cause of a network error in few words.
func FormatError(err error) string {
	var lookup *net.DNSError
	var connection *net.OpError
	if errors.As(err, &connection) || errors.As(err, &lookup) || IsTimeout(err) || isCut(err) {
		return network.DescribeError(err).Sentence
	}
	return err.Error()
}

type failure struct {
	at    *Attempt
	class reach.Class
	err   error
}

func (f *failure) Error() string { return string(f.class) + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// Fail marks a layer as failed, and returns err with its class.
func (a *Attempt) Fail(layer *reach.Layer, class reach.Class, err error) error {
	*layer = reach.LayerFail
	return &failure{at: a, class: class, err: err}
}

// GetClass returns the class of an error of Fail, "" for any other.
func GetClass(err error) reach.Class {
	var f *failure
	if errors.As(err, &f) {
		return f.class
	}
	return ""
}
