package hostile_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

// nameServers are what a name server may do to whoever asks it by TCP.
var nameServers = map[string]func(context.Context, net.Conn){
	"endless": func(_ context.Context, c net.Conn) {
		_, err := c.Write([]byte{0xff, 0xff})
		for part := make([]byte, 1<<16); err == nil; {
			_, err = c.Write(part)
		}
	},
	"a byte a second": func(ctx context.Context, c net.Conn) {
		_, err := c.Write([]byte{0xff, 0xff})
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for err == nil {
			select {
			case <-tick.C:
				_, err = c.Write([]byte{'x'})
			case <-ctx.Done():
				return
			}
		}
	},
	"silent":    func(_ context.Context, c net.Conn) { _, _ = io.Copy(io.Discard, c) },
	"cut short": func(_ context.Context, c net.Conn) { _, _ = c.Write([]byte{0x00, 0x50, 'x'}) },
	"no DNS": func(_ context.Context, c net.Conn) {
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n" + steering + strings.Repeat("x", 1<<16)))
	},
	"another question": func(_ context.Context, c net.Conn) {
		conn := &dns.Conn{Conn: c}
		question, err := conn.ReadMsg()
		if err != nil {
			return
		}
		answer := new(dns.Msg).SetReply(question)
		answer.Id++
		_ = conn.WriteMsg(answer)
	},
	"names that steer": func(_ context.Context, c net.Conn) {
		conn := &dns.Conn{Conn: c}
		question, err := conn.ReadMsg()
		if err != nil {
			return
		}
		answer := new(dns.Msg).SetRcode(question, dns.RcodeServerFailure)
		name := `a\027[2J\027]0;title\007.` + question.Question[0].Name
		answer.Ns = []dns.RR{&dns.NS{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeNS, Class: dns.ClassINET, Ttl: 1}, Ns: name}}
		_ = conn.WriteMsg(answer)
	},
}

func TestNameServers_Hostile(t *testing.T) {
	for name, attack := range nameServers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memory := fabric.New(fabric.Config{})
				t.Cleanup(memory.Close)
				server, err := memory.AddHost(netip.MustParseAddr("192.0.2.53"))
				must(t, err)
				listener, err := server.Listen(53)
				must(t, err)
				t.Cleanup(func() { _ = listener.Close() })
				go func() {
					for {
						conn, err := listener.Accept()
						if err != nil {
							return
						}
						go func() { defer conn.Close(); attack(t.Context(), conn) }()
					}
				}()
				client, err := memory.AddHost(netip.MustParseAddr("192.0.2.3"))
				must(t, err)
				began := time.Now()
				err = ask(t.Context(), client.Network(nil))
				if took := time.Since(began); took > time.Minute {
					t.Errorf("it took %s", took)
				}
				if err == nil {
					t.Fatal("there is no error")
				}
				if strings.IndexFunc(err.Error(), steers) >= 0 || len(err.Error()) > 1500 || fault.Is(err, fault.Cancelled) {
					t.Errorf("%q", err.Error())
				}
			})
		})
	}
}

// ask asks the only name server that there is.
func ask(ctx context.Context, n network.Network) error {
	_, err := network.NewNameServers(n).QueryAddresses(ctx, "192.0.2.53", "c.example.org")
	return err
}
