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

// attempt is the way to one host, taken once: its name, a connection, TLS, and what is spoken there. Each step notes its
// layer and what was seen, and takes the steps before it if they were not taken yet. A probe that asks several hosts, or
// one host several times, makes an attempt of each.
type attempt struct {
	prober   *Prober
	check    reach.Check
	target   target
	layers   reach.Layers
	evidence map[string]string
	state    *probeState

	addresses   []netip.Addr // IPv4, what the name resolves to
	resolverErr error        // why the resolver is not believed
	conn        net.Conn     // the last layer that was reached
	secure      bool         // conn speaks TLS
	relay       *url.URL     // proxy at the end of conn that is given requests, instead of a tunnel to the host; usually nil
}

// probeState is what the attempts of one probe share.
type probeState struct {
	host         string // of the check; others may be asked, too
	began        time.Time
	timedPerCall bool        // its parts are judged for their speed, the whole of it is not
	warning      reach.Class // what is not as it should be, the first that was seen
	notice       reach.Class // what is worth telling and quite right
	conns        []net.Conn
	ipv6         chan string    // how IPv6 is by itself; nil: nobody looks
	background   sync.WaitGroup // what goes on beside the probe
}

// start returns the first attempt of a probe.
func (p *Prober) start(check reach.Check, to target) *attempt {
	return p.newAttempt(check, to, &probeState{host: to.host, began: time.Now()})
}

func (p *Prober) newAttempt(check reach.Check, to target, probe *probeState) *attempt {
	none := reach.Layers{DNS: reach.LayerNone, TCP: reach.LayerNone, TLS: reach.LayerNone, HTTP: reach.LayerNone}
	return &attempt{prober: p, check: check, target: to, layers: none, evidence: map[string]string{}, state: probe}
}

// next returns the attempt that asks for another resource, at this host or at another. Only https and http can be asked.
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

// degrade notes what is not as it should be although the service is reached. The first remark of a probe counts.
func (a *attempt) degrade(class reach.Class) {
	if a.state.warning == "" {
		a.state.warning = class
	}
}

// keep makes a connection the one that the next layer speaks on. It is closed with the probe.
func (a *attempt) keep(conn net.Conn) {
	a.conn = conn
	a.state.conns = append(a.state.conns, conn)
}

// limit gives the connection some time for what comes next, and ends that with ctx. Call stop when it is over.
func (a *attempt) limit(ctx context.Context, d time.Duration) (stop func() bool) {
	conn := a.conn
	_ = conn.SetDeadline(time.Now().Add(d)) // one that is closed says so when it is read
	return context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
}

// close ends everything that the probe left open.
func (a *attempt) close() {
	for _, conn := range a.state.conns {
		_ = conn.Close()
	}
	a.state.background.Wait()
}
