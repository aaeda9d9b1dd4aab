package probe

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

// packets answers datagrams at "address:port"; nil is no answer.
func (l *lab) packets(address string, answer func([]byte) []byte) {
	l.t.Helper()
	at := netip.MustParseAddrPort(address)
	conn, err := l.host(at.Addr()).ListenPacket(int(at.Port()))
	must(l.t, err)
	l.t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buffer := make([]byte, 2048); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply := answer(slices.Clone(buffer[:n])); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
}

func clock(ahead time.Duration) func([]byte) []byte {
	return func(request []byte) []byte { return timeAnswer(request, time.Now().Add(ahead)) }
}

func silent([]byte) []byte { return nil }

// once drops the first query and answers the others.
func once(lost bool, answer func([]byte) []byte) func([]byte) []byte {
	return func(request []byte) []byte {
		if lost {
			lost = false
			return nil
		}
		return answer(request)
	}
}

func TestProbe_TimeServer(t *testing.T) {
	kiss := func(request []byte) []byte {
		answer := timeAnswer(request, time.Now())
		answer[1] = 0
		copy(answer[12:], "RATE")
		return answer
	}
	for name, c := range map[string]struct {
		servers []func([]byte) []byte // at the addresses of the name; nil: nothing listens
		class   reach.Class
		layers  string
		reached bool
		skew    string
	}{
		"good":                    {[]func([]byte) []byte{clock(0)}, "", "ok ok none ok", true, "0s"},
		"one question is lost":    {[]func([]byte) []byte{once(true, clock(0))}, "", "ok ok none ok", true, ""},
		"the first is down":       {[]func([]byte) []byte{silent, clock(0)}, "", "ok ok none ok", true, ""},
		"the first is wrong":      {[]func([]byte) []byte{clock(time.Hour), clock(0)}, "", "ok ok none ok", true, "0s"},
		"our clock is ahead":      {[]func([]byte) []byte{clock(-2 * time.Second)}, reach.ClockSkew, "ok ok none ok", true, "+2s"},
		"our clock is behind":     {[]func([]byte) []byte{clock(90 * time.Second)}, reach.ClockSkew, "ok ok none ok", true, "-1m30s"},
		"our clock is far off":    {[]func([]byte) []byte{clock(6 * time.Minute), silent}, reach.ClockSkew, "ok ok none fail", false, "-6m0s"},
		"silent":                  {[]func([]byte) []byte{silent}, reach.UDPTimeout, "ok fail none none", false, ""},
		"nobody listens":          {[]func([]byte) []byte{nil}, reach.Refused, "ok fail none none", false, ""},
		"asked too often":         {[]func([]byte) []byte{kiss, silent}, reach.Unexpected, "ok ok none fail", false, ""},
		"garbage, then silence":   {[]func([]byte) []byte{func([]byte) []byte { return []byte("x") }, silent}, reach.Malformed, "ok ok none fail", false, ""},
		"silence, then too often": {[]func([]byte) []byte{silent, kiss}, reach.Unexpected, "ok ok none fail", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				for i, answer := range c.servers {
					address := netip.AddrFrom4([4]byte{203, 0, 113, byte(1 + i)}).String()
					l.names[service] = append(l.names[service], address)
					if answer != nil {
						l.packets(address+":123", answer)
					} else {
						l.host(netip.MustParseAddr(address))
					}
				}
				began := time.Now()
				got := l.probeURL("ntp://" + service)
				expect(t, got, c.class, c.layers, c.reached)
				if skew := got.Evidence[reach.EvidenceSkew]; c.skew != "" && strings.TrimPrefix(skew, "+") != strings.TrimPrefix(c.skew, "+") {
					t.Errorf("skew %q, want %q", skew, c.skew)
				}
				if took := time.Since(began); took > l.limits.TCP+time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestProbe_TimeServerUnresolved(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		expect(t, l.probeURL("ntp://nowhere.example.com"), reach.NXDomain, "fail none none none", false)
	})
}

// script builds the reply to a DNS query.
type script func(reply *dns.Msg)

func (s script) answer(request []byte) []byte {
	question := new(dns.Msg)
	if question.Unpack(request) != nil {
		return nil
	}
	reply := new(dns.Msg).SetReply(question)
	s(reply)
	packed, err := reply.Pack()
	if err != nil {
		return nil
	}
	return packed
}

func (s script) overTCP(conn net.Conn) {
	question, err := (&dns.Conn{Conn: conn}).ReadMsg()
	if err != nil {
		return
	}
	packed, err := question.Pack()
	if err == nil {
		_, _ = (&dns.Conn{Conn: conn}).Write(s.answer(packed))
	}
}

func (l *lab) nameServer(address string, s script) {
	l.packets(address+":53", s.answer)
	l.accept(address+":53", s.overTCP)
}

func answering(code int, recursive, authoritative bool, lines ...string) script {
	return func(reply *dns.Msg) {
		reply.Rcode, reply.RecursionAvailable, reply.Authoritative = code, recursive, authoritative
		for _, line := range lines {
			if rr, err := dns.NewRR(line); err == nil && rr.Header().Rrtype == reply.Question[0].Qtype {
				reply.Answer = append(reply.Answer, rr)
			}
		}
	}
}

func TestProbe_ResolverByUDPAndTCP(t *testing.T) {
	const at = "203.0.113.53"
	found := answering(dns.RcodeSuccess, true, false, "example.org. 60 IN A 192.0.2.7", ". 60 IN NS a.root-servers.net.")
	both := func(s script) func(*lab) { return func(l *lab) { l.nameServer(at, s) } }
	for name, c := range map[string]struct {
		open    func(*lab)
		url     string
		class   reach.Class
		layers  string
		reached bool
		status  string
	}{
		"good":           {both(found), "/example.org", "", "none ok none ok", true, "UDP: NOERROR; TCP: NOERROR"},
		"without a name": {both(found), "", "", "none ok none ok", true, ""},
		"lost question":  {func(l *lab) { l.packets(at+":53", once(true, found.answer)); l.accept(at+":53", found.overTCP) }, "/example.org", "", "none ok none ok", true, ""},
		"no TCP":         {func(l *lab) { l.packets(at+":53", found.answer) }, "/example.org", reach.Refused, "none ok none ok", true, "TCP: connection refused"},
		"TCP is dropped": {func(l *lab) {
			l.packets(at+":53", found.answer)
			l.accept(at+":53", func(conn net.Conn) { _, _ = conn.Read(make([]byte, 512)); pause(time.Minute) })
		},
			"/example.org", reach.TCPTimeout, "none ok none ok", true, "TCP: no answer in time"},
		"no UDP":       {func(l *lab) { l.packets(at+":53", silent); l.accept(at+":53", found.overTCP) }, "/example.org", reach.UDPTimeout, "none fail none none", false, "UDP: no answer in time; TCP: NOERROR"},
		"nothing":      {func(l *lab) { l.host(netip.MustParseAddr(at)) }, "/example.org", reach.Refused, "none fail none none", false, ""},
		"garbage":      {func(l *lab) { l.packets(at+":53", func([]byte) []byte { return []byte("\x1b[2J") }) }, "/example.org", reach.Malformed, "none ok none fail", false, ""},
		"refuses":      {both(answering(dns.RcodeRefused, false, false)), "/example.org", reach.DNSRefused, "none ok none fail", false, "REFUSED"},
		"not for us":   {both(answering(dns.RcodeSuccess, false, false)), "/example.org", reach.DNSRefused, "none ok none fail", false, ""},
		"fails":        {both(answering(dns.RcodeServerFailure, true, false)), "/example.org", reach.ServFail, "none ok none fail", false, "SERVFAIL"},
		"unknown name": {both(answering(dns.RcodeNameError, true, false)), "/example.org", reach.NXDomain, "none ok none fail", false, "NXDOMAIN"},
		"no address":   {both(answering(dns.RcodeSuccess, true, false)), "/example.org", reach.Missing, "none ok none fail", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				c.open(l)
				got := l.probeURL("dns://" + at + c.url)
				expect(t, got, c.class, c.layers, c.reached)
				if !strings.Contains(got.Evidence[reach.EvidenceStatus], c.status) || strings.ContainsRune(got.Evidence[reach.EvidenceStatus], 0x1b) {
					t.Errorf("status %q, want %q", got.Evidence[reach.EvidenceStatus], c.status)
				}
			})
		})
	}
}

func TestProbe_ZoneServers(t *testing.T) {
	const soa = "example.org. 60 IN SOA ns1.example.net. post.example.org. 7 1 1 1 1"
	delegated := answering(dns.RcodeSuccess, false, false, "example.org. 60 IN NS ns1.example.net.", "example.org. 60 IN NS ns2.example.net.")
	serves, lame := answering(dns.RcodeSuccess, false, true, soa), answering(dns.RcodeRefused, false, false)
	for name, c := range map[string]struct {
		parent, one, two script
		class            reach.Class
		layers           string
		reached          bool
		says             string
	}{
		"good":              {delegated, serves, serves, "", "ok ok none ok", true, ""},
		"one is lame":       {delegated, serves, lame, reach.ServFail, "ok ok none ok", true, "ns2.example.net: it is not authoritative for the zone"},
		"one is silent":     {delegated, nil, serves, reach.UDPTimeout, "ok ok none ok", true, "ns1.example.net: no answer in time"},
		"both are lame":     {delegated, lame, lame, reach.ServFail, "ok ok none fail", false, "is not authoritative for the zone"},
		"both are silent":   {delegated, nil, nil, reach.UDPTimeout, "ok fail none none", false, "no answer in time"},
		"not delegated":     {answering(dns.RcodeNameError, false, true), serves, serves, reach.NXDomain, "fail none none none", false, "have no NS records for example.org"},
		"part of a zone":    {answering(dns.RcodeSuccess, false, true), serves, serves, "", "ok none none none", true, ""},
		"no SOA":            {delegated, answering(dns.RcodeSuccess, false, true), answering(dns.RcodeSuccess, false, true), reach.ServFail, "ok ok none fail", false, ""},
		"without authority": {delegated, answering(dns.RcodeSuccess, true, false, soa), answering(dns.RcodeSuccess, true, false, soa), reach.ServFail, "ok ok none fail", false, ""},
		"parent is silent":  {nil, serves, serves, reach.DNSTimeout, "fail none none none", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.zoneServers(map[string]script{"203.0.113.10": c.parent, "203.0.113.11": c.one, "203.0.113.12": c.two})
				got := l.probeURL("zone://example.org")
				expect(t, got, c.class, c.layers, c.reached)
				if !strings.Contains(got.Evidence[reach.EvidenceError], c.says) {
					t.Errorf("it says %q, want %q", got.Evidence[reach.EvidenceError], c.says)
				}
			})
		})
	}
}

func TestProbe_ZoneByTCPOnly(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		serves := answering(dns.RcodeSuccess, false, true, "example.org. 60 IN SOA ns1.example.net. post.example.org. 7 1 1 1 1")
		l.zoneServers(map[string]script{"203.0.113.10": answering(dns.RcodeSuccess, false, false, "example.org. 60 IN NS ns1.example.net.")})
		l.packets("203.0.113.11:53", silent)
		l.accept("203.0.113.11:53", serves.overTCP)
		expect(t, l.probeURL("zone://example.org"), "", "ok ok none ok", true)
	})
}

// zoneServers starts the servers of org and of example.org, and a resolver that knows those of org.
func (l *lab) zoneServers(servers map[string]script) {
	l.nameServer("203.0.113.53", answering(dns.RcodeSuccess, true, false, "org. 60 IN NS a.nic.example."))
	for address, s := range servers {
		if s != nil {
			l.nameServer(address, s)
			continue
		}
		l.packets(address+":53", silent)
		l.filtered[address+":53"] = true
	}
	l.names["a.nic.example"] = []string{"203.0.113.10"}
	l.names["ns1.example.net"], l.names["ns2.example.net"] = []string{"203.0.113.11"}, []string{"203.0.113.12"}
	l.network.Resolver = network.NewResolver(l.network.Dial, "203.0.113.53:53")
}
