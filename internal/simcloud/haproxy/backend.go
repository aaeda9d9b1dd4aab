package haproxy

import (
	"context"
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"slices"
	"sync"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/machine"
)

type backend struct {
	machine machine.Machine
	network network.Network // of the machine
	config  *configuration
	proxy   *proxy
	members []*member

	mu   sync.Mutex // guards next and the addresses and health of the members
	next int
}

type member struct {
	*server
	name     string
	probe    *probe
	address  netip.Addr    // the zero address: the name does not resolve
	assigned chan struct{} // signals an address to who waits for one
	health   int           // 0 to rise+fall-1; up from rise on
}

func newBackend(m machine.Machine, config *configuration, p *proxy) (*backend, error) {
	b := &backend{machine: m, network: m.Network(), config: config, proxy: p}
	for i := range p.servers {
		s := &p.servers[i]
		probe, err := newProbe(m, p, s)
		if err != nil {
			return nil, wrapLine(s.line, err)
		}
		for slot := range s.slots {
			name := s.name
			if s.isTemplate() {
				name = fmt.Sprint(s.name, s.first+slot)
			}
			b.members = append(b.members, &member{server: s, name: name, probe: probe.clone(), assigned: make(chan struct{}, 1)})
		}
	}
	return b, nil
}

// isUp must be called with the backend's lock.
func (m *member) isUp() bool { return m.address.IsValid() && (!m.check || m.health >= m.rise) }

// selectServer returns the address of a server that is up: one of the regular ones, else the first backup. It skips those in
// tried.
func (b *backend) selectServer(client net.Addr, tried []*member) (*member, netip.AddrPort, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var regular, backup []*member
	for _, m := range b.members {
		switch {
		case !m.isUp() || slices.Contains(tried, m):
		case m.backup:
			backup = append(backup, m)
		default:
			regular = append(regular, m)
		}
	}
	var chosen *member
	switch {
	case len(regular) == 0 && len(backup) == 0:
		return nil, netip.AddrPort{}, false
	case len(regular) == 0:
		chosen = backup[0]
	case b.proxy.balance == "source":
		chosen = regular[hash(client)%uint32(len(regular))]
	default:
		chosen = regular[b.next%len(regular)]
		b.next++
	}
	return chosen, netip.AddrPortFrom(chosen.address, uint16(chosen.port)), true
}

// hash depends on a client's address only, not on its port.
func hash(client net.Addr) uint32 {
	host, _, err := net.SplitHostPort(client.String())
	if err != nil {
		host = client.String()
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(host)) // never fails
	return h.Sum32()
}

// dial connects to a server that is up, or to another one if that is unreachable and redispatch is set.
func (b *backend) dial(ctx context.Context, client, frontend net.Addr) (net.Conn, error) {
	var tried []*member
	for {
		m, address, ok := b.selectServer(client, tried)
		if !ok {
			return nil, fmt.Errorf("backend %s has no server available", b.proxy.name)
		}
		c, err := b.connect(ctx, address)
		if err == nil {
			return sendProxyHeader(c, buildProxyHeader(m.proxyProtocol, client, frontend))
		}
		tried = append(tried, m)
		if m.backup || !b.proxy.redispatch || len(tried) > b.proxy.retries {
			return nil, err
		}
	}
}

func (b *backend) connect(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, b.network.Clock.ToWall(b.proxy.connectTimeout))
	defer cancel()
	return b.network.Dial(ctx, "tcp", address.String())
}

func sendProxyHeader(c net.Conn, header []byte) (net.Conn, error) {
	if _, err := c.Write(header); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

func (b *backend) run(ctx context.Context, running *sync.WaitGroup) {
	running.Go(func() { b.resolveAgain(ctx) })
	for _, m := range b.members {
		if m.check {
			running.Go(func() { b.watch(ctx, m) })
		}
	}
}
