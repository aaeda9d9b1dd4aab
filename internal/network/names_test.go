package network

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
)

func TestMachineNames_Resolvers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "resolv.conf")
	must(t, os.WriteFile(file, []byte("nameserver 192.0.2.53\nnameserver 2001:db8::53\n"), 0o600))
	own := newMachineNames(net.DefaultResolver, file)
	if diff := cmp.Diff([]string{"192.0.2.53", "2001:db8::53"}, own.Resolvers()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list := newMachineNames(net.DefaultResolver, file+".missing").Resolvers(); len(list) != 0 {
		t.Errorf("resolvers %v without a configuration", list)
	}
}

func TestMachineNames_LookupByFamily(t *testing.T) {
	own := newMachineNames(net.DefaultResolver, "")
	four, err := own.Lookup(t.Context(), "127.0.0.1")
	if err != nil || len(four) != 1 {
		t.Errorf("IPv4: %v, %v", four, err)
	}
	if six, err := own.LookupIPv6(t.Context(), "127.0.0.1"); err == nil {
		t.Errorf("IPv6: %v", six)
	}
}

func TestMachineNames_BehindProxy(t *testing.T) {
	client, address := public(t, func(w http.ResponseWriter, question *dns.Msg) {
		reply := new(dns.Msg).SetReply(question)
		if question.Question[0].Qtype == dns.TypeAAAA {
			reply.Answer = records(t, "api.c-1.example.net. 60 IN AAAA 2001:db8::1")
		}
		write(w, reply)
	})
	inner := netip.MustParseAddr("10.0.0.1")
	n := Network{Dial: new(net.Dialer).DialContext, Roots: client.Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Lookup:    func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{inner}, nil },
		Resolvers: func() []string { return []string{"192.0.2.53"} }}
	if got := n.Direct().Resolvers(); got[0] != "192.0.2.53" {
		t.Errorf("resolvers %v", got)
	}
	behind := n.withPublicResolver(address)
	if six, err := behind.LookupIPv6(t.Context(), "api.c-1.example.net"); err != nil || six[0].String() != "2001:db8::1" {
		t.Errorf("IPv6 outside: %v, %v", six, err)
	}
	if list, err := behind.Lookup(t.Context(), "api.c-1.example.net"); err == nil {
		t.Errorf("IPv4 outside: %v", list)
	}
	if list, err := behind.Direct().Lookup(t.Context(), "api.c-1.example.net"); err != nil || list[0] != inner {
		t.Errorf("IPv4 inside: %v, %v", list, err)
	}
	if got := behind.Resolvers(); len(got) != 1 || got[0] != address.Host || behind.Direct().Resolvers()[0] != "192.0.2.53" {
		t.Errorf("resolvers %v, inside %v", got, behind.Direct().Resolvers())
	}
}
