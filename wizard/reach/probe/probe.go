// Package probe checks whether a service can be used, in the service's own protocol, and reports which layer of the
// connection fails.
package probe

import (
	"context"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// Prober probes services over one network; it is a reach.Prober.
type Prober struct{ deps *deps }

// New returns a prober for a task. It fails if the task's authorities or proxies cannot be read.
func New(n network.Network, task reach.Task, limits Limits) (*Prober, error) {
	deps, err := newDeps(n, task, limits)
	if err != nil {
		return nil, err
	}
	return &Prober{deps}, nil
}

// Probe probes one service. It leaves nothing running.
func (p *Prober) Probe(ctx context.Context, check reach.Check) reach.Finding {
	to, err := parseTarget(check.URL, getDefaultPort)
	if err != nil {
		return reach.Finding{Class: reach.Malformed, Layers: newLayers(reach.LayerNone),
			Evidence: map[string]string{reach.EvidenceError: reach.Sanitize(err.Error())}}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newAttempt(p.deps, check, to)
	defer a.close()
	return a.buildFinding(kinds[to.url.Scheme].probe(ctx, a))
}
