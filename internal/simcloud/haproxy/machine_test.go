package haproxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

// testbed is a network with a load balancer at 198.18.0.2.
type testbed struct {
	t       *testing.T
	fabric  *fabric.Fabric
	client  *fabric.Host
	ca      *fabric.CA
	lb      *box
	dropped atomic.Bool // new connections are not let through
	mu      sync.Mutex
	names   map[string][]netip.Addr
}

func newTestbed(t *testing.T) *testbed {
	t.Helper()
	b := &testbed{t: t, names: map[string][]netip.Addr{}}
	b.fabric = fabric.New(fabric.Config{Resolve: b.lookup, Allows: func(_, _ netip.Addr, _ string, _ int) bool { return !b.dropped.Load() }})
	ca, err := fabric.NewCA("Cluster CA")
	if err != nil {
		t.Fatal(err)
	}
	b.ca = ca
	b.client = b.host("192.0.2.10")
	b.point("api.test", "198.18.0.2")
	b.lb = &box{host: b.host("198.18.0.2"), files: map[string][]byte{}}
	return b
}

func (b *testbed) lookup(_ context.Context, name string) ([]netip.Addr, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if addresses, ok := b.names[name]; ok {
		return addresses, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func (b *testbed) point(name string, addresses ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names[name] = nil
	for _, address := range addresses {
		b.names[name] = append(b.names[name], netip.MustParseAddr(address))
	}
}

func (b *testbed) host(address string) *fabric.Host {
	b.t.Helper()
	host, err := b.fabric.AddHost(netip.MustParseAddr(address))
	if err != nil {
		b.t.Fatal(err)
	}
	return host
}

// start runs the software until the returned function is called.
func (b *testbed) start(config string) (stop func()) {
	b.lb.files[Path] = []byte(config)
	ctx, cancel := context.WithCancel(b.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		Run(ctx, b.lb)
	}()
	return func() {
		cancel()
		<-done
		b.fabric.Close()
	}
}

// box is the load balancer's machine.
type box struct {
	host  *fabric.Host
	files map[string][]byte
	mu    sync.Mutex
	lines []string
}

func (m *box) ID() string                            { return "" }
func (m *box) Name() string                          { return "lb-0" }
func (m *box) Address() netip.Addr                   { return m.host.Address() }
func (m *box) DefaultAddress() netip.Addr            { return m.host.Address() }
func (m *box) Network() network.Network              { return m.host.Network(nil) }
func (m *box) Listen(port int) (net.Listener, error) { return m.host.Listen(port) }
func (m *box) WriteFile(string, []byte) error        { return nil }
func (m *box) ReadFile(path string) ([]byte, bool) {
	content, ok := m.files[path]
	return content, ok
}

func (m *box) Console(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, fmt.Sprintf(format, args...))
}

func (m *box) said(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.lines, func(line string) bool { return strings.Contains(line, text) })
}
