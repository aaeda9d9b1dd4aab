package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"exoshift/wizard/reach"
)

// attempt is one path to one host: its name, a connection, TLS, and the protocol on top. Each step records its layer and
// evidence, and takes the steps before it if they were not taken yet. A probe that calls several hosts, or one host
// several times, makes an attempt for each.
type attempt struct {
	prober   *Prober
	check    reach.Check
	target   target
	layers   reach.Layers
	evidence map[string]string
	state    *probeState

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

func (p *Prober) start(check reach.Check, to target) *attempt {
	return p.newAttempt(check, to, &probeState{host: to.host, began: time.Now()})
}

func (p *Prober) newAttempt(check reach.Check, to target, probe *probeState) *attempt {
	none := reach.Layers{DNS: reach.LayerNone, TCP: reach.LayerNone, TLS: reach.LayerNone, HTTP: reach.LayerNone}
	return &attempt{prober: p, check: check, target: to, layers: none, evidence: map[string]string{}, state: probe}
}

// Only https and http are supported.
func (a *attempt) next(resource *url.URL) (*attempt, error) {
	if resource.Scheme != "https" && resource.Scheme != "http" {
		return nil, a.fail(&a.layers.HTTP, reach.Unexpected, errors.New("it leads to something that is no web address"))
	}
	to, err := newTarget(resource)
	if err != nil {
		return nil, a.fail(&a.layers.HTTP, reach.Malformed, err)
	}
	return a.prober.newAttempt(a.check, to, a.state), nil
}

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
