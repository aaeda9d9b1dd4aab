package names

import (
	"context"
	"net"

	"github.com/miekg/dns"

	"exoshift/internal/network"
)

const (
	// datagram is the largest answer that is sent by UDP to whoever says that they take so much.
	datagram = 1232
	// smallest is what everybody takes.
	smallest = dns.MinMsgSize
)

// speaker answers a question.
type speaker func(question *dns.Msg) *dns.Msg

// Speaker serves what a resolver answers, which may be another than those of this package.
type Speaker network.Resolver

// Serve answers DNS messages on a TCP listener until it is closed.
func (r Speaker) Serve(l net.Listener) error { return r.speaker().serve(l) }

// ServePackets answers DNS messages by UDP until the port is closed, as those of servers.
func (r Speaker) ServePackets(c net.PacketConn) error { return r.speaker().servePackets(c) }

func (r Speaker) speaker() speaker {
	return func(question *dns.Msg) *dns.Msg {
		reply, err := r(context.Background(), question)
		if err != nil {
			return new(dns.Msg).SetRcode(question, dns.RcodeServerFailure)
		}
		return reply
	}
}

// Serve answers DNS messages on a TCP listener until it is closed.
func (s Server) Serve(l net.Listener) error { return speaker(s.Answer).serve(l) }

// ServePackets answers DNS messages by UDP until the port is closed. Answers that are too large are cut short, and say so.
func (s Server) ServePackets(c net.PacketConn) error { return speaker(s.Answer).servePackets(c) }

// Serve answers DNS messages on a TCP listener until it is closed.
func (r *Resolver) Serve(l net.Listener) error { return Speaker(r.Resolve).Serve(l) }

// ServePackets answers DNS messages by UDP until the port is closed, as those of servers.
func (r *Resolver) ServePackets(c net.PacketConn) error { return Speaker(r.Resolve).ServePackets(c) }

func (s speaker) serve(l net.Listener) error {
	server := &dns.Server{Listener: l, Net: "tcp", Handler: dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		_ = w.WriteMsg(s.reply(question)) // the client went away
	})}
	return server.ActivateAndServe()
}

func (s speaker) servePackets(c net.PacketConn) error {
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
		reply.Truncate(room(question))
		if packed, err := reply.Pack(); err == nil {
			_, _ = c.WriteTo(packed, from) // the client went away
		}
	}
}

// reply answers, and tells those who speak EDNS that it is spoken here.
func (s speaker) reply(question *dns.Msg) *dns.Msg {
	reply := s(question)
	if question.IsEdns0() != nil {
		reply.SetEdns0(datagram, false)
	}
	return reply
}

// room returns how large an answer by UDP may be.
func room(question *dns.Msg) int {
	if options := question.IsEdns0(); options != nil {
		return min(datagram, max(smallest, int(options.UDPSize())))
	}
	return smallest
}
