// Package bootstraphost reads the state of the bootstrap machine, which never appears in the cluster's API: the records of its
// services over SSH, and its journal from systemd-journal-gatewayd. It is read-only, and nothing depends on it.
package bootstraphost

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/provisioner/openshift/nodessh"
	"exoshift/state"
)

const (
	collectTimeout = 8 * time.Second
	// connectTimeout is how long a port may take to answer. A machine that has not booted does not answer at all.
	connectTimeout = 3 * time.Second
)

// Agent connects to an SSH agent.
type Agent = nodessh.Agent

const collectInterval = 15 * time.Second

// Host is a bootstrap machine.
type Host struct {
	net  network.Network
	file func(name string) ([]byte, error)

	// These belong to the running collection.
	session  *sshSession
	gateway  *gateway
	identity *identity // as last read

	mu      sync.Mutex
	address netip.Addr  // of the latest collection
	began   time.Time   // when it began
	pending *collection // not returned yet; nil if there is none
}

type collection struct {
	done   chan struct{} // closed once seen and err are set
	cancel context.CancelFunc
	result state.BootstrapHost
	err    error
}

// New returns the bootstrap machine of a cluster. file reads the files of openshift-install's own directory, by name. key is the
// line of authorized_keys that the cluster's machines were given; agent holds its private key. Without an agent there is no SSH
// login, and only the journal is read.
func New(net network.Network, file func(name string) ([]byte, error), key string, agent Agent) *Host {
	return &Host{net: net, file: file, session: newSSHSession(net, key, agent), gateway: newGateway(net)}
}

// Close stops the running collection, and closes the connections. A later collection opens them again.
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

// Collect returns the records of the services, and the journal's lines since the previous collection. It does not wait: it starts
// a collection, at most every 15 seconds, and returns the result of the previous one once that has ended; until then nothing. A
// partial result is returned beside an error. A machine that cannot be reached is fault.Transient; a machine, or an agent, that
// refuses access is fault.Denied, and a machine with other keys than the one that was created is fault.Conflict.
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
	who, err := readIdentity(h.file, h.identity)
	if err != nil {
		return seen, err
	}
	h.identity = who
	var both sync.WaitGroup
	var shut, mute error
	both.Go(func() { seen.Services, shut = h.session.listRecords(ctx, bootstrap, who) })
	both.Go(func() { seen.Lines, mute = h.gateway.readLines(ctx, bootstrap, who) })
	both.Wait()
	return seen, errors.Join(shut, mute)
}

func connect(ctx context.Context, net network.Network, address netip.Addr, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return net.Connect(ctx, netip.AddrPortFrom(address, port).String())
}
