// Package probe checks whether a service can be used, in the service's own protocol, and reports which layer of the
// connection fails.
package probe

import (
	"context"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe/connection"
)

// Prober probes services over one network; it is a reach.Prober.
type Prober struct{ deps *connection.Deps }

// New returns a prober for a task. It fails if the task's authorities or proxies cannot be read.
func New(n network.Network, task reach.Task, limits connection.Limits) (*Prober, error) {
	deps, err := connection.NewDeps(n, task, limits)
	if err != nil {
		return nil, err
	}
	return &Prober{deps}, nil
}

// Probe probes one service. It leaves nothing running.
func (p *Prober) Probe(ctx context.Context, check reach.Check) reach.Finding {
	return probe(ctx, p.deps, check)
}

// Repeat probes one service as Probe does, and finds out what stands in the way of a TLS handshake without an answer. Only
// while nothing else is probed the result is certain.
func (p *Prober) Repeat(ctx context.Context, check reach.Check) reach.Finding {
	deps := *p.deps
	deps.Thorough = true
	return probe(ctx, &deps, check)
}

func probe(ctx context.Context, deps *connection.Deps, check reach.Check) reach.Finding {
	to, err := connection.ParseTarget(check.URL, getDefaultPort)
	if err != nil {
		return reach.Finding{Class: reach.Malformed, Layers: connection.NewLayers(reach.LayerNone),
			Evidence: map[string]string{reach.EvidenceError: reach.Sanitize(err.Error())}}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := connection.NewAttempt(deps, check, to)
	defer a.Close()
	return a.BuildFinding(kinds[to.URL.Scheme].probe(ctx, a))
}
