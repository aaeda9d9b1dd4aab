// Package fabric is a network that exists only in memory: hosts with addresses, ports that listen, connections that
// carry bytes, packets that are dropped when the zone's rules say so. It also knows the certificate authority of the
// simulated public internet.
package fabric

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/network"
)

// ConnectTimeout is how long a dial waits for packets that nobody answers, by the fabric's clock.
const ConnectTimeout = 30 * time.Second

// Config is what a fabric asks the zone for. The functions are called at each dial, from many goroutines.
type Config struct {
	Clock network.Clock
	// Resolve returns the addresses of a name; nil means that there are no names.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// ResolveFor returns what the host of an address uses instead of Resolve; nil means that all use the same.
	ResolveFor func(host netip.Addr) func(ctx context.Context, name string) ([]netip.Addr, error)
	// Allows tells whether a packet from one address may reach a port of another; nil means always. A refused
	// packet is dropped, so the dial hangs as behind a security group.
	Allows func(from, to netip.Addr, proto string, port int) bool
	// Translate returns the host that answers for the address to, which is to itself unless it is an elastic IP.
	// False means that the packet is dropped. nil means no translation.
	Translate func(from, to netip.Addr, port int) (netip.Addr, bool)
}

// Fabric is the network.
type Fabric struct {
	config Config
	mu     sync.Mutex
	hosts  map[netip.Addr]*Host
}

// New returns a network without hosts.
func New(config Config) *Fabric {
	if config.Resolve == nil {
		config.Resolve = nobody
	}
	if config.ResolveFor == nil {
		config.ResolveFor = func(netip.Addr) func(context.Context, string) ([]netip.Addr, error) { return config.Resolve }
	}
	if config.Allows == nil {
		config.Allows = func(_, _ netip.Addr, _ string, _ int) bool { return true }
	}
	if config.Translate == nil {
		config.Translate = func(_, to netip.Addr, _ int) (netip.Addr, bool) { return to, true }
	}
	return &Fabric{config: config, hosts: map[netip.Addr]*Host{}}
}

// Host brings up a host with that address. It fails if another host has the address.
func (f *Fabric) Host(address netip.Addr) (*Host, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, taken := f.hosts[address]; taken {
		return nil, fmt.Errorf("bring up host %s: the address is in use", address)
	}
	host := &Host{
		fabric:    f,
		address:   address,
		listeners: map[int]*listener{},
		conns:     map[*conn]struct{}{},
		gone:      make(chan struct{}),
	}
	f.hosts[address] = host
	return host, nil
}

// Close takes all hosts down.
func (f *Fabric) Close() {
	f.mu.Lock()
	hosts := make([]*Host, 0, len(f.hosts))
	for _, host := range f.hosts {
		hosts = append(hosts, host)
	}
	f.mu.Unlock()
	for _, host := range hosts {
		host.Close()
	}
}

func (f *Fabric) find(address netip.Addr) (*Host, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	host, ok := f.hosts[address]
	return host, ok
}

func (f *Fabric) remove(host *Host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hosts[host.address] == host {
		delete(f.hosts, host.address)
	}
}
