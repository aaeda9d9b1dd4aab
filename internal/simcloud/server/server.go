// Package server puts servers on hosts of the simulated network: web servers with certificates of the simulated internet, SSH,
// NTP and DNS. A host costs nothing until the first packet to it.
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

// Config configures the servers.
type Config struct {
	Fabric *fabric.Fabric
	CA     *fabric.CA
	// Now is the servers' time for a client's address; nil is the wall clock. It differs from the wall clock in scenarios where
	// the client's own clock is wrong.
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

// Site is a host with its names and ports.
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

// Add adds a site. Its ports open at the first packet to it.
func (s *Servers) Add(site Site) error {
	address, err := netip.ParseAddr(site.Address)
	if err != nil {
		return fmt.Errorf("bring up %v: %w", site.Names, err)
	}
	_, err = s.config.Fabric.AddLazyHost(address, func(host *fabric.Host) {
		for _, port := range site.Ports {
			_ = port.open(s, site, host) // a port that did not open refuses connections
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
		_ = errors.Join(server.Close(), serve()) // it detects that it is closed, and closes its port
		return
	}
	s.open = append(s.open, server)
	s.running.Go(func() { _ = serve() }) // it ends when it is closed
}
