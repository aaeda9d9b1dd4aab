// Package probe checks whether a service can be used, in the service's own protocol, and reports which layer of the
// connection fails.
package probe

import (
	"context"
	"net/url"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// Prober probes services over one network; it is a reach.Prober.
type Prober struct {
	network network.Network // its roots are those that probes trust
	task    reach.Task
	limits  Limits
	now     func() time.Time // wall clock of this machine, for certificates and comparison with servers' clocks
	proxy   func(*url.URL) (*url.URL, error)
}

// Limits are how long each layer may take. They are measured on the wall clock.
type Limits struct {
	DNS, TCP, TLS, HTTP time.Duration
	Slow                time.Duration // a successful probe that takes longer is reported as slow
}

// DefaultLimits returns the limits of an interactive run.
func DefaultLimits() Limits {
	return Limits{DNS: 5 * time.Second, TCP: 5 * time.Second, TLS: 5 * time.Second, HTTP: 10 * time.Second, Slow: 3 * time.Second}
}

// New returns a prober for a task. It fails if the task's authorities or proxies cannot be read.
func New(n network.Network, task reach.Task, limits Limits) (*Prober, error) {
	p := &Prober{network: n, task: task, limits: limits, now: time.Now}
	var err error
	if p.network.Roots, err = buildRoots(n.Roots, task.Authorities); err != nil {
		return nil, err
	}
	p.proxy, err = newProxyFunc(n, task.Proxy)
	return p, err
}

// Probe probes one service. It leaves nothing running.
func (p *Prober) Probe(ctx context.Context, check reach.Check) reach.Finding {
	to, err := parseTarget(check.URL)
	if err != nil {
		return reach.Finding{Class: reach.Malformed, Layers: newLayers(reach.LayerNone),
			Evidence: map[string]string{reach.EvidenceError: reach.Sanitize(err.Error())}}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := p.start(check, to)
	defer a.close()
	return a.buildFinding(listKinds()[to.url.Scheme].probe(ctx, a))
}
