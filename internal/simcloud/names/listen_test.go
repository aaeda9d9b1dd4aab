package names

import (
	"fmt"
	"net"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"exoshift/internal/simcloud/fabric"
)

// speaks is the common interface of servers and resolvers.
type speaks interface {
	Serve(l net.Listener) error
	ServePackets(c net.PacketConn) error
}

// dial starts a server, and connects to it.
func dial(t *testing.T, server speaks) (udp, tcp *dns.Conn) {
	t.Helper()
	f := fabric.New(fabric.Config{})
	t.Cleanup(f.Close)
	host, err := f.AddHost(address("203.0.113.53"))
	must(t, err)
	client, err := f.AddHost(address("192.0.2.10"))
	must(t, err)
	l, err := host.Listen(53)
	must(t, err)
	go func() { _ = server.Serve(l) }()
	p, err := host.ListenPacket(53)
	must(t, err)
	go func() { _ = server.ServePackets(p) }()
	connect := func(proto string) *dns.Conn {
		c, err := client.Dial(t.Context(), proto, "203.0.113.53:53")
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return &dns.Conn{Conn: c, UDPSize: dns.MaxMsgSize}
	}
	return connect("udp"), connect("tcp")
}

func exchange(t *testing.T, c *dns.Conn, question *dns.Msg) *dns.Msg {
	t.Helper()
	reply, _, err := new(dns.Client).ExchangeWithConn(question, c)
	must(t, err)
	return reply
}

func TestNames_UDPAndTCP(t *testing.T) {
	for name, server := range map[string]speaks{"server": cluster().directory().ExoscaleServer(), "resolver": cluster().resolver()} {
		udp, tcp := dial(t, server)
		for proto, c := range map[string]*dns.Conn{"udp": udp, "tcp": tcp} {
			reply := exchange(t, c, new(dns.Msg).SetQuestion("api.c-1.example.net.", dns.TypeA))
			if len(reply.Answer) != 1 || reply.Authoritative != (name == "server") || reply.RecursionAvailable != (name == "resolver") {
				t.Errorf("%s by %s:\n%s", name, proto, reply)
			}
		}
	}
}

func TestNames_TruncatedByUDP(t *testing.T) {
	world := cluster()
	for i := range 60 {
		world.zones[0].Records = append(world.zones[0].Records, Record{Name: "many.c-1.example.net", Type: "A", Content: fmt.Sprintf("198.18.1.%d", i), TTL: 60})
	}
	udp, tcp := dial(t, world.directory().ExoscaleServer())
	for _, size := range []uint16{0, 800, 4096} {
		question := new(dns.Msg).SetQuestion("many.c-1.example.net.", dns.TypeA)
		if size > 0 {
			question.SetEdns0(size, false)
		}
		reply := exchange(t, udp, question)
		reply.Compress = true
		fits := size == 4096 // 60 addresses are about 1000 bytes
		if limit := max(512, min(1232, int(size))); reply.Len() > limit || reply.Truncated == fits {
			t.Errorf("whoever takes %d gets %d bytes, cut off: %v", size, reply.Len(), reply.Truncated)
		}
		if whole := exchange(t, tcp, question); whole.Truncated || len(whole.Answer) != 60 || (whole.IsEdns0() != nil) != (size > 0) {
			t.Errorf("by TCP: %d answers, cut off: %v", len(whole.Answer), whole.Truncated)
		}
	}
}

func TestNames_FixedHosts(t *testing.T) {
	registry := cluster().directory().RegistryServer()
	want := said{"NOERROR", true, []string{"mirror.openshift.com.\t300\tIN\tA\t203.0.113.30"}, nil}
	if diff := cmp.Diff(want, answerOf(registry, "mirror.openshift.com.", dns.TypeA)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := answerOf(registry, "nowhere.openshift.com.", dns.TypeA); got.Code != "NXDOMAIN" || !got.Authority {
		t.Errorf("a host that nobody has: %+v", got)
	}
	if reply := resolve(t, cluster().resolver(), "openshift.com", dns.TypeNS); len(reply.Answer) != 2 {
		t.Errorf("the servers of a fixed host's zone: %s", reply)
	}
}
