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

// Config is what a fabric asks the zone for. The functions are called at each dial and for each datagram, from many
// goroutines.
type Config struct {
	Clock network.Clock
	// Resolve returns the addresses of a name; nil means that there are no names.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// ResolveFor returns what the host of an address uses instead of Resolve; nil means that all use the same.
	ResolveFor func(host netip.Addr) func(ctx context.Context, name string) ([]netip.Addr, error)
	// ResolverFor returns what the host of an address asks for other records, and the addresses of those it asks; nil
	// means that hosts know addresses only.
	ResolverFor func(host netip.Addr) (network.Resolver, []string)
	// Allows tells whether a packet from one address may reach a port of another; nil means always. A refused
	// packet is dropped, so the dial hangs as behind a security group.
	Allows func(from, to netip.Addr, proto string, port int) bool
	// Translate returns the host that answers for the address to, which is to itself unless it is an elastic IP.
	// False means that the packet is dropped. nil means no translation.
	Translate func(from, to netip.Addr, port int) (netip.Addr, bool)
	// Divert returns the host in the middle that answers in the place of another, as an interceptor does; nil or an
	// invalid address means that nobody does. What was dialed it learns from the connection, see GetOriginalDestination.
	Redirect func(from, to netip.Addr, proto string, port int) netip.Addr
}

// Fabric is the network.
type Fabric struct {
	config Config
	mu     sync.Mutex
	hosts  map[netip.Addr]*Host
}

// route returns where a packet comes out that is sent to an address; false means that it is dropped on the way.
func (f *Fabric) route(from, to netip.Addr, proto string, port int) (netip.Addr, bool) {
	if middle := f.config.Redirect(from, to, proto, port); middle.IsValid() {
		return middle, true
	}
	return f.config.Translate(from, to, port)
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
		config.Translate = func(_, to netip.Addr, _ int) (netip.Addr, bool) { return to, true }
	}
	if config.Redirect == nil {
		config.Redirect = func(_, _ netip.Addr, _ string, _ int) netip.Addr { return netip.Addr{} }
	}
	if config.ResolverFor == nil {
		config.ResolverFor = func(netip.Addr) (network.Resolver, []string) { return nil, nil }
	}
	return &Fabric{config: config, hosts: map[netip.Addr]*Host{}}
}

// AddHost brings up a host with that address. It fails if another host has the address.
func (f *Fabric) AddHost(address netip.Addr) (*Host, error) { return f.AddLazyHost(address, nil) }

// AddLazyHost brings up a host whose ports open when somebody reaches for it first: boot opens them, and runs once. An
// internet of hosts that nobody asks for costs nothing.
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

// find returns the host of an address, awake.
func (f *Fabric) find(address netip.Addr) (*Host, bool) {
	f.mu.Lock()
	host, ok := f.hosts[address]
	f.mu.Unlock()
	if ok && host.boot != nil {
		host.booted.Do(func() { host.boot(host) })
	}
	return host, ok
}

func (f *Fabric) remove(host *Host) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hosts[host.address] == host {
		delete(f.hosts, host.address)
	}
}
