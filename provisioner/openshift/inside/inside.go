// Package inside looks into the bootstrap machine, which never appears in the cluster's API: what its services have
// recorded, over SSH, and what they say, from its journal's gateway. It only reads, and nothing depends on it.
package inside

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
	// patience is how long, by the wall clock, one look may take.
	patience = 8 * time.Second
	// connectPatience is how long a port may take to answer. A machine that has not booted answers nothing at all.
	connectPatience = 3 * time.Second
)

// Agent connects to an SSH agent.
type Agent func(ctx context.Context) (net.Conn, error)

// lookEvery is how often, by the run's clock, a machine is looked into.
const lookEvery = 15 * time.Second

// Host is a bootstrap machine.
type Host struct {
	net  network.Network
	file func(name string) ([]byte, error)

	shell   *shell // these two belong to the look under way
	gateway *gateway

	mu      sync.Mutex
	address netip.Addr // that the latest look was at
	began   time.Time  // when it began
	look    *look      // that was not collected yet; nil if there is none
}

// look is one look at the machine, under way or over.
type look struct {
	done   chan struct{} // closed once seen and err are there
	cancel context.CancelFunc
	seen   state.Inside
	err    error
}

// New returns the bootstrap machine of a cluster. file reads the files of openshift-install's own directory, by name. key
// is the line of authorized_keys that the cluster's machines were given; agent leads to its private half. Without an
// agent nobody logs in, and the journal is all that is looked at.
func New(net network.Network, file func(name string) ([]byte, error), key string, agent Agent) *Host {
	return &Host{net: net, file: file, shell: newShell(net, key, agent), gateway: newGateway(net)}
}

// Close ends the look that is under way, and the connections. A later look opens them again.
func (h *Host) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.look != nil {
		h.look.cancel()
		<-h.look.done
		h.look = nil
	}
	h.shell.close()
	h.gateway.close()
}

// LookInside returns what the services have recorded, and the lines that were journaled since the look before. It does
// not wait: it begins a look, at most every 15 seconds, and returns what the one before found once that is over; until
// then nothing. What could be had is returned beside an error. A machine that cannot be reached is fault.Transient;
// fault.Denied is a machine, or an agent, that refuses us, and fault.Conflict a machine that is not the one we made.
func (h *Host) LookInside(ctx context.Context, bootstrap netip.Addr) (state.Inside, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var seen state.Inside
	var err error
	if h.look != nil {
		select {
		case <-h.look.done:
			seen, err = h.look.seen, h.look.err
			h.look = nil
		default:
			return seen, nil
		}
	}
	if now := h.net.Clock.Now(); h.address != bootstrap || now.Sub(h.began) >= lookEvery {
		h.began = now
		h.begin(ctx, bootstrap)
	}
	return seen, err
}

// begin starts a look, which may outlive the caller but not the Host.
func (h *Host) begin(ctx context.Context, bootstrap netip.Addr) {
	if h.address != bootstrap {
		h.shell.close()
		h.gateway.close()
		h.shell, h.gateway = newShell(h.net, h.shell.key, h.shell.agent), newGateway(h.net)
		h.address = bootstrap
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	started := &look{done: make(chan struct{}), cancel: cancel}
	h.look = started
	go func() {
		defer close(started.done)
		defer cancel()
		started.seen, started.err = h.lookAt(ctx, bootstrap)
	}()
}

func (h *Host) lookAt(ctx context.Context, bootstrap netip.Addr) (state.Inside, error) {
	seen := state.Inside{At: h.net.Clock.Now()}
	who, err := readIdentity(h.file)
	if err != nil {
		return seen, err
	}
	var both sync.WaitGroup
	var shut, mute error
	both.Go(func() { seen.Services, shut = h.shell.records(ctx, bootstrap, who) })
	both.Go(func() { seen.Lines, mute = h.gateway.lines(ctx, bootstrap, who) })
	both.Wait()
	return seen, errors.Join(shut, mute)
}

// connect opens a connection to a port of the machine, through a proxy where one applies.
func connect(ctx context.Context, net network.Network, address netip.Addr, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	return net.Connect(ctx, netip.AddrPortFrom(address, port).String())
}
