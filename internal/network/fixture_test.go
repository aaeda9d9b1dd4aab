package network

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// nameServer is a DNS server on loopback with scripted answers.
type nameServer struct {
	address string // host:port, UDP and TCP

	mu    sync.Mutex
	asked []*dns.Msg
}

// serveNames starts a name server. answer fills in a reply; udp reports the transport of the question.
func serveNames(t *testing.T, answer func(reply *dns.Msg, udp bool)) *nameServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	packets, err := net.ListenPacket("udp", listener.Addr().String())
	must(t, err)
	server := &nameServer{address: listener.Addr().String()}
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		server.mu.Lock()
		server.asked = append(server.asked, question)
		server.mu.Unlock()
		reply := new(dns.Msg).SetReply(question)
		_, udp := w.RemoteAddr().(*net.UDPAddr)
		answer(reply, udp)
		_ = w.WriteMsg(reply)
	})
	serve(t, &dns.Server{Listener: listener, Handler: handler})
	serve(t, &dns.Server{PacketConn: packets, Handler: handler})
	return server
}

func serve(t *testing.T, server *dns.Server) {
	t.Helper()
	started, ended := make(chan struct{}), make(chan struct{})
	server.NotifyStartedFunc = func() { close(started) }
	go func() { defer close(ended); _ = server.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = server.Shutdown(); <-ended })
}

func (s *nameServer) questions() []*dns.Msg {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func records(t *testing.T, lines ...string) []dns.RR {
	t.Helper()
	var list []dns.RR
	for _, line := range lines {
		rr, err := dns.NewRR(line)
		must(t, err)
		list = append(list, rr)
	}
	return list
}

func says(t *testing.T, lines ...string) func(*dns.Msg, bool) {
	return func(reply *dns.Msg, _ bool) { reply.Authoritative, reply.Answer = true, records(t, lines...) }
}

func refers(t *testing.T, lines ...string) func(*dns.Msg, bool) {
	return func(reply *dns.Msg, _ bool) { reply.Ns = records(t, lines...) }
}

func answers(code int, authoritative bool) func(*dns.Msg, bool) {
	return func(reply *dns.Msg, _ bool) { reply.Rcode, reply.Authoritative = code, authoritative }
}

// world is a network in which known names lead to servers on loopback, and dialing other names fails.
type world map[string]*nameServer

func (w world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	to, known := w[address]
	if !known {
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: address, IsNotFound: true}}
	}
	return new(net.Dialer).DialContext(ctx, network, to.address)
}

// network returns a network whose resolver is the server "resolver".
func (w world) network() Network {
	return Network{Dial: w.dial, Resolver: NewResolver(w.dial, "resolver:53")}
}
