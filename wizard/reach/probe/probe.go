// Package probe asks one service whether it can be used, in the protocol that it speaks, and tells which layer of the
// way to it fails.
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
	now     func() time.Time // wall clock of this machine, as certificates and servers' clocks are judged by
	proxy   func(*url.URL) (*url.URL, error)
}

// Limits are how long each layer may take. They are measured on the wall clock.
type Limits struct {
	DNS, TCP, TLS, HTTP time.Duration
	Slow                time.Duration // from here on a probe that went well is called slow
}

// DefaultLimits returns the limits of a run by people.
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

// Probe asks one service. Nothing of it goes on after it returned.
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
