package probe

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/miekg/dns"

	"exoshift/wizard/reach"
)

// authoritative adds servers of these names with these addresses; a name without an address does not exist there.
func (l *lab) authoritative(records map[string]string) {
	l.names["ns.tld.example"] = []string{"203.0.113.53"}
	l.network.Resolver = func(_ context.Context, question *dns.Msg) (*dns.Msg, error) {
		reply := new(dns.Msg).SetReply(question)
		reply.Answer = []dns.RR{&dns.NS{Hdr: dns.RR_Header{Name: question.Question[0].Name, Rrtype: dns.TypeNS, Class: dns.ClassINET}, Ns: "ns.tld.example."}}
		return reply, nil
	}
	l.accept("203.0.113.53:53", func(conn net.Conn) {
		server := &dns.Conn{Conn: conn}
		question, err := server.ReadMsg()
		if err != nil {
			return
		}
		reply := new(dns.Msg).SetReply(question)
		reply.Authoritative = true
		if address := records[question.Question[0].Name]; address != "" {
			record, err := dns.NewRR(question.Question[0].Name + " 60 IN A " + address)
			if err == nil {
				reply.Answer = []dns.RR{record}
			}
		} else {
			reply.Rcode = dns.RcodeNameError
		}
		_ = server.WriteMsg(reply)
	})
}

func TestProbe_UnresolvedNameCauses(t *testing.T) {
	const name = service + "."
	missing := &net.DNSError{Err: "no such host", Name: service, IsNotFound: true}
	for title, test := range map[string]struct {
		err   error
		own   map[string]string // nil: its servers cannot be queried
		class reach.Class
	}{
		"it does not exist":                  {missing, map[string]string{}, reach.NXDomain},
		"and there is no terminal to ask on": {missing, nil, reach.NXDomain},
		"it exists for others":               {missing, map[string]string{name: "203.0.113.1"}, reach.SplitView},
		"no way to the resolver":             {&net.DNSError{Err: "dial udp 10.0.0.53:53: connect: network is unreachable", Name: service}, nil, reach.NoRoute},
		"nobody listens there":               {&net.DNSError{Err: "read udp 10.0.0.9:1->10.0.0.53:53: read: connection refused", Name: service}, nil, reach.DNSTimeout},
		"the resolver fails":                 {&net.DNSError{Err: "server misbehaving", Name: service, IsTemporary: true}, map[string]string{name: "203.0.113.1"}, reach.ServFail},
		"the resolver says nothing":          {&net.DNSError{Err: "i/o timeout", Name: service, IsTimeout: true}, map[string]string{name: "203.0.113.1"}, reach.DNSTimeout},
		"the resolver answers in no way":     {context.DeadlineExceeded, nil, reach.DNSTimeout},
		"something else":                     {errors.New("what"), nil, reach.ServFail},
	} {
		t.Run(title, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.broken[service] = test.err
				if test.own != nil {
					l.authoritative(test.own)
				}
				expect(t, l.probeURL("https://"+service), test.class, "fail none none none", false)
			})
		})
	}
}

func TestProbe_ResolverTimeout(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.network.Lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
			<-ctx.Done()
			return nil, &net.DNSError{Err: ctx.Err().Error(), Name: name, IsTimeout: true}
		}
		began := time.Now()
		expect(t, l.probeURL("https://"+service), reach.DNSTimeout, "fail none none none", false)
		if took := time.Since(began); took != l.limits.DNS {
			t.Errorf("took %s", took)
		}
	})
}

func TestProbe_InternalAddressIsSplitView(t *testing.T) {
	const inner = "10.1.2.3"
	for title, test := range map[string]struct {
		group   string
		url     string
		own     map[string]string
		serves  bool // a good server listens at the internal address
		class   reach.Class
		layers  string
		reached bool
	}{
		"nothing is there":                  {"redhat", "https://" + service, nil, false, reach.SplitView, "fail none none none", false},
		"others see a public one":           {"redhat", "https://" + service, map[string]string{service + ".": "203.0.113.9"}, false, reach.SplitView, "fail none none none", false},
		"the service proves to be there":    {"redhat", "https://" + service, map[string]string{service + ".": "203.0.113.9"}, true, reach.SplitView, "ok ok ok ok", true},
		"its own servers say the same":      {"redhat", "https://" + service, map[string]string{service + ".": inner}, false, reach.TCPTimeout, "ok fail none none", false},
		"its own servers say so, and it is": {"redhat", "https://" + service, map[string]string{service + ".": inner}, true, "", "ok ok ok ok", true},
		"a customer means it":               {"customer", "https://" + service, map[string]string{service + ".": "203.0.113.9"}, false, reach.TCPTimeout, "ok fail none none", false},
		"a customer means it, and it is":    {"customer", "https://" + service, nil, true, "", "ok ok ok ok", true},
		"the name is no public one":         {"vshn", "https://lieutenant.corp", nil, false, reach.TCPTimeout, "ok fail none none", false},
	} {
		t.Run(title, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service], l.names["lieutenant.corp"] = []string{inner}, []string{inner}
				if test.own != nil {
					l.authoritative(test.own)
				}
				if test.serves {
					l.web(inner+":443", l.authority.issue(t, service), says(200, nil, ""))
				}
				expect(t, l.probe(reach.Check{URL: test.url, Group: test.group}), test.class, test.layers, test.reached)
			})
		})
	}
}

func TestProbe_OtherPublicAddress(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.authoritative(map[string]string{service + ".": "203.0.113.9"})
		l.site(service, says(200, nil, ""))
		expect(t, l.probe(reach.Check{URL: "https://" + service, Group: "redhat"}), "", "ok ok ok ok", true)
	})
}

func TestProbe_MixedAddresses(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, says(200, nil, ""))
		l.names[service] = append(l.names[service], "10.1.2.3")
		expect(t, l.probe(reach.Check{URL: "https://" + service, Group: "redhat"}), "", "ok ok ok ok", true)
	})
}

func TestProbe_WhyNoNameServerAnswers(t *testing.T) {
	for title, test := range map[string]struct {
		code      int // of the resolver's answer
		resolvers []string
		class     reach.Class
	}{
		"refuses":      {dns.RcodeRefused, []string{"203.0.113.53"}, reach.DNSRefused},
		"fails":        {dns.RcodeServerFailure, []string{"203.0.113.53"}, reach.ServFail},
		"is not there": {dns.RcodeRefused, []string{"203.0.113.54"}, reach.ServFail},
		"has a name":   {dns.RcodeRefused, []string{"dns.example.net"}, reach.ServFail},
		"none":         {dns.RcodeRefused, nil, reach.NoResolver},
	} {
		t.Run(title, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.broken[service] = &net.DNSError{Err: "server misbehaving", Name: service, IsTemporary: true}
				l.network.Resolvers = func() []string { return test.resolvers }
				dial := l.network.Dial
				l.network.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					if network == "udp" {
						network = "tcp" // the fabric's datagrams need a server of their own
					}
					return dial(ctx, network, address)
				}
				l.accept("203.0.113.53:53", func(conn net.Conn) {
					server := &dns.Conn{Conn: conn}
					if question, err := server.ReadMsg(); err == nil {
						_ = server.WriteMsg(new(dns.Msg).SetRcode(question, test.code))
					}
				})
				got := l.probeURL("https://" + service)
				if got.Class != test.class || got.Layers.DNS != reach.LayerFail {
					t.Errorf("%q, want %q; %v", got.Class, test.class, got.Evidence)
				}
			})
		})
	}
}
