package network

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/miekg/dns"
)

func TestQuery_SingleServer(t *testing.T) {
	server := serveNames(t, func(reply *dns.Msg, _ bool) {
		switch reply.Question[0].Qtype {
		case dns.TypeSOA:
			reply.Authoritative = true
			reply.Answer = records(t, "Example.org. 60 IN SOA ns.example.org. post.example.org. 7 1 1 1 1")
		case dns.TypeNS:
			reply.Answer = records(t, "example.org. 60 IN NS NS2.example.org.", "example.org. 60 IN NS ns1.example.org.")
		default:
			reply.Rcode, reply.RecursionAvailable = dns.RcodeRefused, reply.RecursionDesired
			reply.Answer = records(t, "example.org. 60 IN A 192.0.2.1")
		}
	})
	for kind, want := range map[string]Response{
		"SOA": {Code: "NOERROR", Authoritative: true, Serial: 7, HasSOA: true},
		"NS":  {Code: "NOERROR", Servers: []string{"ns1.example.org", "ns2.example.org"}},
		"A":   {Code: "REFUSED", Recursive: true, Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.1")}},
	} {
		for _, transport := range []string{"udp", "tcp"} {
			conn, err := net.Dial(transport, server.address)
			must(t, err)
			got, err := Query(t.Context(), conn, Question{Name: "example.org", Type: kind, Recursive: true})
			must(t, err)
			if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Addr{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s by %s:\n%s", kind, transport, diff)
			}
		}
	}
}

func TestQuery_EndsWithContext(t *testing.T) {
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	go func() { _, _ = theirs.Read(make([]byte, 512)) }()
	if _, err := Query(ctx, ours, Question{Name: "example.org", Type: "A"}); err == nil || ctx.Err() == nil {
		t.Errorf("it ended with %v", err)
	}
	if _, err := ours.Write(nil); err == nil {
		t.Error("the connection is open")
	}
}

func TestQuery_RefusesInvalid(t *testing.T) {
	for _, question := range []Question{{Name: "a..b", Type: "A"}, {Name: "example.org", Type: "NONE SUCH"}} {
		ours, theirs := net.Pipe()
		if _, err := Query(t.Context(), ours, question); err == nil {
			t.Errorf("%v was sent", question)
		}
		_ = theirs.Close()
	}
}
