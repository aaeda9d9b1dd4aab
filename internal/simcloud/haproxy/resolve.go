package haproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// start resolves the addresses that are required at the start: all except those of servers with "init-addr none".
func (b *backend) start(ctx context.Context) error {
	for i := range b.proxy.servers {
		s := &b.proxy.servers[i]
		if strings.HasPrefix(s.initAddr, "none") {
			continue
		}
		if err := b.resolve(ctx, s); err != nil && !strings.Contains(s.initAddr, "none") {
			return wrapLine(s.line, fmt.Errorf("'server %s' : could not resolve address '%s'", s.name, s.host))
		}
	}
	return nil
}

// resolveAgain updates the servers with resolvers.
func (b *backend) resolveAgain(ctx context.Context) {
	every := time.Duration(0)
	for _, s := range b.proxy.servers {
		if s.resolvers != "" {
			every = max(b.config.resolvers[s.resolvers], time.Second)
		}
	}
	for every > 0 {
		for i := range b.proxy.servers {
			if s := &b.proxy.servers[i]; s.resolvers != "" {
				_ = b.resolve(ctx, s) // retried the next time
			}
		}
		if b.network.Clock.Sleep(ctx, every) != nil {
			return
		}
	}
}

func (b *backend) resolve(ctx context.Context, s *server) error {
	if address, err := netip.ParseAddr(s.host); err == nil {
		b.assign(s, []netip.Addr{address})
		return nil
	}
	addresses, err := b.network.Lookup(ctx, s.host)
	var missing *net.DNSError
	if err == nil || errors.As(err, &missing) && missing.IsNotFound {
		b.assign(s, addresses)
	}
	return err
}

// assign gives the slots of a server their addresses. A slot keeps its address as long as the name has it.
func (b *backend) assign(s *server, addresses []netip.Addr) {
	b.mu.Lock()
	defer b.mu.Unlock()
	free := slices.Clone(addresses)
	var empty []*member
	for _, m := range b.members {
		if m.server != s {
			continue
		}
		if i := slices.Index(free, m.address); i >= 0 {
			free = slices.Delete(free, i, i+1)
		} else {
			empty = append(empty, m)
		}
	}
	for _, m := range empty {
		next := netip.Addr{}
		if len(free) > 0 {
			next, free = free[0], free[1:]
		}
		b.move(m, next)
	}
}

// move gives a server a new address; it is up until its first check fails, as in the real program.
func (b *backend) move(m *member, address netip.Addr) {
	switch {
	case m.address == address:
		return
	case address.IsValid():
		b.machine.Console("haproxy: %s/%s changed its address to %s by DNS", b.proxy.name, m.name, address)
	default:
		b.machine.Console("haproxy: Server %s/%s is going DOWN for maintenance (DNS NX status)", b.proxy.name, m.name)
	}
	m.address, m.health = address, m.rise
	if address.IsValid() {
		select {
		case m.assigned <- struct{}{}:
		default: // already signalled
		}
	}
}
