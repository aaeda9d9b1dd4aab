package names

import (
	"context"
	"net"

	"github.com/miekg/dns"

	"exoshift/internal/network"
)

const (
	// maxUDPSize limits UDP responses for clients with EDNS.
	maxUDPSize = 1232
	// minUDPSize is the limit without EDNS.
	minUDPSize = dns.MinMsgSize
)

type responder func(question *dns.Msg) *dns.Msg

// Forwarder serves any resolver, which may be implemented outside of this package.
type Forwarder network.Resolver

// Serve serves DNS messages on a TCP listener until it is closed.
func (r Forwarder) Serve(l net.Listener) error { return r.toResponder().serve(l) }

// ServePackets serves DNS messages over UDP like Server.ServePackets.
func (r Forwarder) ServePackets(c net.PacketConn) error { return r.toResponder().servePackets(c) }

func (r Forwarder) toResponder() responder {
	return func(question *dns.Msg) *dns.Msg {
		reply, err := r(context.Background(), question)
		if err != nil {
			return new(dns.Msg).SetRcode(question, dns.RcodeServerFailure)
		}
		return reply
	}
}

// Serve serves DNS messages on a TCP listener until it is closed.
func (s Server) Serve(l net.Listener) error { return responder(s.Answer).serve(l) }

// ServePackets serves DNS messages over UDP until the port is closed. Large responses are truncated, with the TC flag.
func (s Server) ServePackets(c net.PacketConn) error { return responder(s.Answer).servePackets(c) }

// Serve serves DNS messages on a TCP listener until it is closed.
func (r *Resolver) Serve(l net.Listener) error { return Forwarder(r.Resolve).Serve(l) }

// ServePackets serves DNS messages over UDP like Server.ServePackets.
func (r *Resolver) ServePackets(c net.PacketConn) error { return Forwarder(r.Resolve).ServePackets(c) }

func (s responder) serve(l net.Listener) error {
	server := &dns.Server{Listener: l, Net: "tcp", Handler: dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		_ = w.WriteMsg(s.reply(question)) // the client closed the connection
	})}
	return server.ActivateAndServe()
}

func (s responder) servePackets(c net.PacketConn) error {
	buffer := make([]byte, dns.MaxMsgSize)
	for {
		n, from, err := c.ReadFrom(buffer)
		if err != nil {
			return err
		}
		question := new(dns.Msg)
		if question.Unpack(buffer[:n]) != nil || question.Response {
			continue
		}
		reply := s.reply(question)
		reply.Truncate(computeUDPSize(question))
		if packed, err := reply.Pack(); err == nil {
			_, _ = c.WriteTo(packed, from) // the client closed the connection
		}
	}
}

// reply adds an EDNS record for clients that use EDNS.
func (s responder) reply(question *dns.Msg) *dns.Msg {
	reply := s(question)
	if question.IsEdns0() != nil {
		reply.SetEdns0(maxUDPSize, false)
	}
	return reply
}

func computeUDPSize(question *dns.Msg) int {
	if options := question.IsEdns0(); options != nil {
		return min(maxUDPSize, max(minUDPSize, int(options.UDPSize())))
	}
	return minUDPSize
}
