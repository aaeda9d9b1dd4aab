package haproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"

	"exoshift/internal/simcloud/machine"
)

type balancer struct {
	machine  machine.Machine
	config   *configuration
	backends map[*proxy]*backend
	running  sync.WaitGroup
}

// Run is the software: it balances as configured in the file at Path until ctx ends. If the file has an error, an address does
// not resolve or a port is in use, it prints that on the console and exits.
func Run(ctx context.Context, m machine.Machine) {
	b, ports, err := load(ctx, m)
	if err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			m.Console("haproxy: [ALERT] %s", line)
		}
		m.Console("haproxy.service: Failed with result 'exit-code'.")
		return
	}
	m.Console("haproxy.service: Started HAProxy Load Balancer.")
	for _, p := range ports {
		b.running.Go(func() { b.serve(ctx, p) })
	}
	for _, backend := range b.backends {
		backend.run(ctx, &b.running)
	}
	b.running.Wait()
}

type port struct {
	net.Listener
	proxy *proxy
}

func load(ctx context.Context, m machine.Machine) (*balancer, []port, error) {
	text, ok := m.ReadFile(Path)
	if !ok {
		return nil, nil, fmt.Errorf("could not open configuration file %s : no such file", Path)
	}
	config, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	b := &balancer{machine: m, config: config, backends: map[*proxy]*backend{}}
	for _, p := range config.proxies {
		if !p.isBackend() {
			continue
		}
		backend, err := newBackend(m, config, p)
		if err == nil {
			err = backend.start(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
		b.backends[p] = backend
	}
	ports, err := b.listen()
	return b, ports, err
}

func (b *balancer) listen() ([]port, error) {
	var ports []port
	for _, p := range b.config.proxies {
		for _, bind := range p.binds {
			l, err := b.open(bind)
			if err != nil {
				for _, opened := range ports {
					err = errors.Join(err, opened.Close())
				}
				return nil, fmt.Errorf("starting %s %s: cannot bind socket (%w)", p.kind, p.name, err)
			}
			if l != nil {
				ports = append(ports, port{Listener: l, proxy: p})
			}
		}
	}
	return ports, nil
}

// open returns no listener for the loopback interface, which nothing else can reach.
func (b *balancer) open(bind bind) (net.Listener, error) {
	if bind.host != "" {
		address, err := netip.ParseAddr(bind.host)
		if err != nil {
			return nil, err
		}
		if address.IsLoopback() {
			return nil, nil
		}
		if address != b.machine.Address() {
			return nil, fmt.Errorf("cannot assign requested address %s", address)
		}
	}
	return b.machine.Listen(bind.port)
}

func (b *balancer) serve(ctx context.Context, p port) {
	stop := context.AfterFunc(ctx, func() { _ = p.Close() })
	defer stop()
	if p.proxy.mode == "http" {
		serveHTTP(p, b.findTarget(p.proxy))
		return
	}
	for {
		c, err := p.Accept()
		if err != nil {
			return
		}
		b.running.Go(func() { forward(ctx, c, b.findTarget(p.proxy)) })
	}
}
