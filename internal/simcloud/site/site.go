// Package site puts one service of a simulated zone on a network of its own, counts its requests, and injects faults. It is for
// tests of clients.
package site

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

// Site is a service at one or more names, behind real TLS.
type Site struct {
	service http.Handler
	network network.Network
	close   func()

	mu       sync.Mutex
	requests []string
	faults   []Fault
}

// Fault is injected once, into the next request that it matches.
type Fault struct {
	Match      string           // prefix of the request: its method, a space, its URI
	ServeFirst bool             // the service handles the request first
	Respond    http.HandlerFunc // instead of the service's response; nil breaks the connection
}

// Open starts the service at these names; Close stops it.
func Open(service http.Handler, names ...string) (*Site, error) {
	s := &Site{service: service}
	address := netip.MustParseAddr("192.0.2.1")
	memory := fabric.New(fabric.Config{Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
		if slices.Contains(names, name) {
			return []netip.Addr{address}, nil
		}
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}})
	ca, err := fabric.NewCA("Internet")
	if err != nil {
		return nil, err
	}
	settings, err := ca.NewServerTLS(names...)
	if err != nil {
		return nil, err
	}
	listener, err := listen(memory, address)
	if err != nil {
		return nil, err
	}
	client, err := memory.AddHost(netip.MustParseAddr("192.0.2.2"))
	if err != nil {
		return nil, err
	}
	s.network = client.Network(ca.Pool())
	// net/http need not log connections that are broken on purpose.
	server := &http.Server{Handler: s, TLSConfig: settings, ErrorLog: log.New(io.Discard, "", 0)} //nolint:gosec // nobody is slow in memory
	s.close = func() { _ = server.Close(); memory.Close() }
	go func() { _ = server.ServeTLS(listener, "", "") }() // ends with Close
	return s, nil
}

func listen(memory *fabric.Fabric, address netip.Addr) (net.Listener, error) {
	host, err := memory.AddHost(address)
	if err != nil {
		return nil, err
	}
	return host.Listen(443)
}

// Close stops the site.
func (s *Site) Close() { s.close() }

// Network is a client's network with only the site.
func (s *Site) Network() network.Network { return s.network }

// InjectFaults queues faults.
func (s *Site) InjectFaults(accidents ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, accidents...)
}

// Requests returns the requests so far, each as its method, a space and its URI.
func (s *Site) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Mutations counts the requests that may have changed something.
func (s *Site) Mutations() int {
	n := 0
	for _, request := range s.Requests() {
		if !strings.HasPrefix(request, "GET ") && !strings.HasPrefix(request, "HEAD ") {
			n++
		}
	}
	return n
}

// ServeHTTP calls the service, or injects a fault.
func (s *Site) ServeHTTP(answer http.ResponseWriter, request *http.Request) {
	happens, strikes := s.next(request.Method + " " + request.URL.RequestURI())
	if !strikes || happens.ServeFirst {
		s.service.ServeHTTP(answer, request)
	}
	if !strikes {
		return
	}
	if happens.Respond == nil {
		closeConnection(answer)
		return
	}
	happens.Respond(answer, request)
}

func (s *Site) next(request string) (happens Fault, strikes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	i := slices.IndexFunc(s.faults, func(a Fault) bool { return strings.HasPrefix(request, a.Match) })
	if i < 0 {
		return Fault{}, false
	}
	happens = s.faults[i]
	s.faults = slices.Delete(s.faults, i, i+1)
	return happens, true
}

// closeConnection closes the connection, even in the middle of a response.
func closeConnection(answer http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(answer).Hijack(); err == nil {
		_ = conn.Close()
	}
}
