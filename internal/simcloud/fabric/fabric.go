// Package fabric is a network in memory: hosts with addresses, listening ports, connections, and packets that the zone's rules
// may drop. It also contains the certificate authority of the simulated public internet.
package fabric

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/network"
)

// connectTimeout is the timeout of a dial whose packets are dropped, by the fabric's clock.
const connectTimeout = 30 * time.Second

// Config contains the zone's functions. They are called at each dial and for each datagram, from many goroutines.
type Config struct {
	Clock network.Clock
	// Resolve returns the addresses of a name; nil means that there are no names.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// ResolveFor returns a host's replacement for Resolve; nil means that all hosts use Resolve.
	ResolveFor func(host netip.Addr) func(ctx context.Context, name string) ([]netip.Addr, error)
	// ResolverFor returns a host's resolver of other records, and the addresses of its servers; nil means that hosts resolve
	// addresses only.
	ResolverFor func(host netip.Addr) (network.Resolver, []string)
	// Allows reports whether a packet from one address may reach a port of another; nil means always. A refused packet is
	// dropped, so the dial hangs as behind a security group.
	Allows func(from, to netip.Addr, proto string, port int) bool
	// Translate returns the host and its port that receive packets for to, which is to itself unless it is an elastic IP or a load
	// balancer, and the source that this host sees, which is from itself unless that is rewritten. False means that the packet is
	// dropped. nil means no translation.
	Translate func(from netip.Addr, to netip.AddrPort, proto string) (target netip.AddrPort, source netip.Addr, ok bool)
	// Redirect returns a host in the middle that responds in place of the destination, as an interceptor does; nil or an invalid
	// address means none. It can read the dialed address with GetOriginalDestination.
	Redirect func(from, to netip.Addr, proto string, port int) netip.Addr
}

// Fabric is the network.
type Fabric struct {
	config Config
	mu     sync.Mutex
	hosts  map[netip.Addr]*Host

	buffers buffers
}

// route returns who receives a packet, and from whom by its source address; false if the packet is dropped.
func (f *Fabric) route(from netip.Addr, to netip.AddrPort, proto string) (target netip.AddrPort, source netip.Addr, ok bool) {
	if middle := f.config.Redirect(from, to.Addr(), proto, int(to.Port())); middle.IsValid() {
		return netip.AddrPortFrom(middle, to.Port()), from, true
	}
	return f.config.Translate(from, to, proto)
}

// New returns a network without hosts.
func New(config Config) *Fabric {
	if config.Resolve == nil {
		config.Resolve = resolveNothing
	}
	if config.ResolveFor == nil {
		config.ResolveFor = func(netip.Addr) func(context.Context, string) ([]netip.Addr, error) { return config.Resolve }
	}
	if config.Allows == nil {
		config.Allows = func(_, _ netip.Addr, _ string, _ int) bool { return true }
	}
	if config.Translate == nil {
		config.Translate = func(from netip.Addr, to netip.AddrPort, _ string) (netip.AddrPort, netip.Addr, bool) {
			return to, from, true
		}
	}
	if config.Redirect == nil {
		config.Redirect = func(_, _ netip.Addr, _ string, _ int) netip.Addr { return netip.Addr{} }
	}
	if config.ResolverFor == nil {
		config.ResolverFor = func(netip.Addr) (network.Resolver, []string) { return nil, nil }
	}
	return &Fabric{config: config, hosts: map[netip.Addr]*Host{}}
}

// AddHost adds a host. It fails if another host has the address.
func (f *Fabric) AddHost(address netip.Addr) (*Host, error) { return f.AddLazyHost(address, nil) }

// AddLazyHost adds a host whose ports open on its first packet: boot opens them, and runs once. Unused hosts cost nothing.
func (f *Fabric) AddLazyHost(address netip.Addr, boot func(*Host)) (*Host, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, taken := f.hosts[address]; taken {
		return nil, fmt.Errorf("bring up host %s: the address is in use", address)
	}
	host := &Host{
		fabric:    f,
		address:   address,
		boot:      boot,
		listeners: map[int]*listener{},
		sockets:   map[int]*socket{},
		conns:     map[*conn]struct{}{},
		done:      make(chan struct{}),
	}
	f.hosts[address] = host
	return host, nil
}

// Close closes all hosts.
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

// find returns the host of an address, after its boot function.
func (f *Fabric) find(address netip.Addr) (*Host, bool) {
	f.mu.Lock()
	host, ok := f.hosts[address]
	f.mu.Unlock()
	if ok && host.boot != nil {
		host.booted.Do(func() { host.boot(host) })
	}
	return host, ok
}

// Find returns the host of an address.
func (f *Fabric) Find(address netip.Addr) (*Host, bool) { return f.find(address) }

func (f *Fabric) remove(host *Host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hosts[host.address] == host {
		delete(f.hosts, host.address)
	}
}
