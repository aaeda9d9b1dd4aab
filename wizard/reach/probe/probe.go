// Package probe asks one service whether it can be used, in the protocol that it speaks, and tells which layer of the
// way to it fails.
package probe

import (
	"context"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// Prober probes services over one network; it is a reach.Prober.
type Prober struct {
	network network.Network
	task    reach.Task
	limits  Limits
	now     func() time.Time // wall clock
}

// Limits are how long each layer may take. They are measured on the wall clock.
type Limits struct {
	DNS, TCP, TLS, HTTP time.Duration
	Slow                time.Duration // from here on a probe that went well is called slow
}

// Usual returns the limits of a run by people.
func Usual() Limits {
	return Limits{DNS: 5 * time.Second, TCP: 5 * time.Second, TLS: 5 * time.Second, HTTP: 10 * time.Second, Slow: 3 * time.Second}
}

// New returns a prober for a task. It fails if the task's authorities or proxies cannot be read.
func New(n network.Network, task reach.Task, limits Limits) (*Prober, error) {
	return &Prober{network: n, task: task, limits: limits, now: time.Now}, nil
}

// Probe asks one service.
func (p *Prober) Probe(_ context.Context, _ reach.Check) reach.Finding {
	return reach.Finding{} // TODO
}
