package names

import (
	"context"
	"net"

	"github.com/miekg/dns"

	"exoshift/internal/network"
)

const (
	// maxUDPSize is the largest answer that is sent by UDP to whoever says that they take so much.
	maxUDPSize = 1232
	// minUDPSize is what everybody takes.
	minUDPSize = dns.MinMsgSize
)

// responder answers a question.
type responder func(question *dns.Msg) *dns.Msg

// Forwarder serves what a resolver answers, which may be another than those of this package.
type Forwarder network.Resolver

// Serve answers DNS messages on a TCP listener until it is closed.
func (r Forwarder) Serve(l net.Listener) error { return r.toResponder().serve(l) }

// ServePackets answers DNS messages by UDP until the port is closed, as those of servers.
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

// Serve answers DNS messages on a TCP listener until it is closed.
func (s Server) Serve(l net.Listener) error { return responder(s.Answer).serve(l) }

// ServePackets answers DNS messages by UDP until the port is closed. Answers that are too large are cut short, and say so.
func (s Server) ServePackets(c net.PacketConn) error { return responder(s.Answer).servePackets(c) }

// Serve answers DNS messages on a TCP listener until it is closed.
func (r *Resolver) Serve(l net.Listener) error { return Forwarder(r.Resolve).Serve(l) }

// ServePackets answers DNS messages by UDP until the port is closed, as those of servers.
func (r *Resolver) ServePackets(c net.PacketConn) error { return Forwarder(r.Resolve).ServePackets(c) }

func (s responder) serve(l net.Listener) error {
	server := &dns.Server{Listener: l, Net: "tcp", Handler: dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		_ = w.WriteMsg(s.reply(question)) // the client went away
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
			_, _ = c.WriteTo(packed, from) // the client went away
		}
	}
}

// reply answers, and tells those who speak EDNS that it is spoken here.
func (s responder) reply(question *dns.Msg) *dns.Msg {
	reply := s(question)
	if question.IsEdns0() != nil {
		reply.SetEdns0(maxUDPSize, false)
	}
	return reply
}

// computeUDPSize returns how large an answer by UDP may be.
func computeUDPSize(question *dns.Msg) int {
	if options := question.IsEdns0(); options != nil {
		return min(maxUDPSize, max(minUDPSize, int(options.UDPSize())))
	}
	return minUDPSize
}
