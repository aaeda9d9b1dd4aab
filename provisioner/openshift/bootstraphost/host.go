// Package bootstraphost looks into the bootstrap machine, which never appears in the cluster's API: what its services have
// recorded, over SSH, and what they say, from its journal's gateway. It only reads, and nothing depends on it.
package bootstraphost

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/state"
)

const (
	// collectTimeout is how long, by the wall clock, one look may take.
	collectTimeout = 8 * time.Second
	// connectTimeout is how long a port may take to answer. A machine that has not booted answers nothing at all.
	connectTimeout = 3 * time.Second
)

// Agent connects to an SSH agent.
type Agent func(ctx context.Context) (net.Conn, error)

// collectInterval is how often, by the run's clock, a machine is looked into.
const collectInterval = 15 * time.Second

// Host is a bootstrap machine.
type Host struct {
	net  network.Network
	file func(name string) ([]byte, error)

	session *sshSession // these two belong to the look under way
	gateway *gateway

	mu      sync.Mutex
	address netip.Addr  // that the latest look was at
	began   time.Time   // when it began
	pending *collection // that was not collected yet; nil if there is none
}

// collection is one look at the machine, under way or over.
type collection struct {
	done   chan struct{} // closed once seen and err are there
	cancel context.CancelFunc
	result state.BootstrapHost
	err    error
}

// New returns the bootstrap machine of a cluster. file reads the files of openshift-install's own directory, by name. key
// is the line of authorized_keys that the cluster's machines were given; agent leads to its private half. Without an
// agent nobody logs in, and the journal is all that is looked at.
func New(net network.Network, file func(name string) ([]byte, error), key string, agent Agent) *Host {
	return &Host{net: net, file: file, session: newSSHSession(net, key, agent), gateway: newGateway(net)}
}

// Close ends the look that is under way, and the connections. A later look opens them again.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pending != nil {
		h.pending.cancel()
		<-h.pending.done
		h.pending = nil
	}
	h.session.close()
	h.gateway.close()
}

// Collect returns what the services have recorded, and the lines that were journaled since the look before. It does
// not wait: it begins a look, at most every 15 seconds, and returns what the one before found once that is over; until
// then nothing. What could be had is returned beside an error. A machine that cannot be reached is fault.Transient;
// fault.Denied is a machine, or an agent, that refuses us, and fault.Conflict a machine that is not the one we made.
func (h *Host) Collect(ctx context.Context, bootstrap netip.Addr) (state.BootstrapHost, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var seen state.BootstrapHost
	var err error
	if h.pending != nil {
		select {
		case <-h.pending.done:
			seen, err = h.pending.result, h.pending.err
			h.pending = nil
		default:
			return seen, nil
		}
	}
	if now := h.net.Clock.Now(); h.address != bootstrap || now.Sub(h.began) >= collectInterval {
		h.began = now
		h.start(ctx, bootstrap)
	}
	return seen, err
}

// start starts a look, which may outlive the caller but not the Host.
func (h *Host) start(ctx context.Context, bootstrap netip.Addr) {
	if h.address != bootstrap {
		h.session.close()
		h.gateway.close()
		h.session, h.gateway = newSSHSession(h.net, h.session.key, h.session.agent), newGateway(h.net)
		h.address = bootstrap
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), collectTimeout)
	started := &collection{done: make(chan struct{}), cancel: cancel}
	h.pending = started
	go func() {
		defer close(started.done)
		defer cancel()
		started.result, started.err = h.collect(ctx, bootstrap)
	}()
}

func (h *Host) collect(ctx context.Context, bootstrap netip.Addr) (state.BootstrapHost, error) {
	seen := state.BootstrapHost{At: h.net.Clock.Now()}
	who, err := readIdentity(h.file)
	if err != nil {
		return seen, err
	}
	var both sync.WaitGroup
	var shut, mute error
	both.Go(func() { seen.Services, shut = h.session.listRecords(ctx, bootstrap, who) })
	both.Go(func() { seen.Lines, mute = h.gateway.readLines(ctx, bootstrap, who) })
	both.Wait()
	return seen, errors.Join(shut, mute)
}

// connect opens a connection to a port of the machine, through a proxy where one applies.
func connect(ctx context.Context, net network.Network, address netip.Addr, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return net.Connect(ctx, netip.AddrPortFrom(address, port).String())
}
