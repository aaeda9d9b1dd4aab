// Package server puts servers on hosts of the simulated network: web servers with certificates of the simulated internet,
// SSH, NTP and DNS. A host costs nothing until somebody reaches for it.
package server

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"time"

	"exoshift/internal/simcloud/fabric"
)

// Config is what servers need of the world.
type Config struct {
	Fabric *fabric.Fabric
	CA     *fabric.CA
	// Now is what the clocks of servers say to whom asks from an address; nil is the wall clock. It differs from the wall
	// clock where the wall clock of the one who asks is wrong.
	Now func(asker netip.Addr) time.Time
}

// Servers are the servers of an internet.
type Servers struct {
	config Config

	mu      sync.Mutex
	closed  bool
	open    []io.Closer
	running sync.WaitGroup
}

// Site is a host with its names and what answers at its ports.
type Site struct {
	Address string
	Names   []string // for its certificate, which is also for the address
	Ports   []Port
}

// Port is a server at one or more ports of a host.
type Port interface {
	open(s *Servers, site Site, host *fabric.Host) error
}

// New returns an internet without sites.
func New(config Config) *Servers {
	if config.Now == nil {
		config.Now = func(netip.Addr) time.Time { return time.Now() }
	}
	return &Servers{config: config}
}

// Add puts a site on the network. Its ports open when somebody reaches for it.
func (s *Servers) Add(site Site) error {
	address, err := netip.ParseAddr(site.Address)
	if err != nil {
		return fmt.Errorf("bring up %v: %w", site.Names, err)
	}
	_, err = s.config.Fabric.AddLazyHost(address, func(host *fabric.Host) {
		for _, port := range site.Ports {
			_ = port.open(s, site, host) // whoever reaches for a port that did not open is refused
		}
	})
	return err
}

// Close ends all servers and waits for them.
func (s *Servers) Close() error {
	s.mu.Lock()
	open := s.open
	s.open, s.closed = nil, true
	s.mu.Unlock()
	for _, server := range open {
		_ = server.Close() // it is closed either way
	}
	s.running.Wait()
	return nil
}

// run serves until server is closed.
func (s *Servers) run(server io.Closer, serve func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = errors.Join(server.Close(), serve()) // it sees that it is closed, and closes its port
		return
	}
	s.open = append(s.open, server)
	s.running.Go(func() { _ = serve() }) // it ends when it is closed
}
