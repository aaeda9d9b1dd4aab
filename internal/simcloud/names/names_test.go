package names

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"exoshift/internal/simcloud/fabric"
)

func address(s string) netip.Addr { return netip.MustParseAddr(s) }

func directory() *Directory {
	zone := Zone{Name: "c-1.example.net", Records: []Record{
		{Name: "c-1.example.net", Type: "SOA", Content: "ns1.exoscale.com. admin.exoscale.com. 1 10800 3600 604800 300", TTL: 3600},
		{Name: "c-1.example.net", Type: "NS", Content: "ns1.exoscale.com", TTL: 3600},
		{Name: "api.c-1.example.net", Type: "A", Content: "198.19.0.1", TTL: 60},
		{Name: "router.c-1.example.net", Type: "A", Content: "198.18.0.9", TTL: 60},
		{Name: "router.c-1.example.net", Type: "A", Content: "198.18.0.8", TTL: 60},
		{Name: "ingress.c-1.example.net", Type: "A", Content: "198.19.0.2", TTL: 60},
		{Name: "*.apps.c-1.example.net", Type: "CNAME", Content: "ingress.c-1.example.net", TTL: 60},
		{Name: "api-int.c-1.example.net", Type: "CNAME", Content: "api.c-1.example.net", TTL: 60},
		{Name: "_acme.c-1.example.net", Type: "TXT", Content: "v=1; a b", TTL: 60},
		{Name: "loop.c-1.example.net", Type: "CNAME", Content: "loop.c-1.example.net", TTL: 60},
		{Name: "out.c-1.example.net", Type: "CNAME", Content: "mirror.openshift.com", TTL: 60},
	}}
	parent := Zone{Name: "example.net", Records: []Record{{Name: "*.example.net", Type: "A", Content: "203.0.113.99"}}}
	hosts := map[string]netip.Addr{"mirror.openshift.com": address("203.0.113.30")}
	return New(hosts, func() []Zone { return []Zone{zone, parent} })
}

func TestLookup(t *testing.T) {
	for name, want := range map[string][]netip.Addr{
		"mirror.openshift.com":           {address("203.0.113.30")},
		"API.c-1.example.net.":           {address("198.19.0.1")},
		"api-int.c-1.example.net":        {address("198.19.0.1")},
		"router.c-1.example.net":         {address("198.18.0.9"), address("198.18.0.8")},
		"console.apps.c-1.example.net":   {address("198.19.0.2")},
		"a.b.apps.c-1.example.net":       {address("198.19.0.2")},
		"out.c-1.example.net":            {address("203.0.113.30")},
		"elsewhere.example.net":          {address("203.0.113.99")},
		"nowhere.c-1.example.net":        nil, // the parent's wildcard does not reach into the zone
		"x.api.c-1.example.net":          nil,
		"apps.c-1.example.net":           nil, // exists only through the names below it
		"loop.c-1.example.net":           nil,
		"_acme.c-1.example.net":          nil,
		"nowhere.test":                   nil,
		"console.apps2.c-1.example.net.": nil,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := directory().Lookup(t.Context(), name)
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
			var missing *net.DNSError
			if want == nil && (!errors.As(err, &missing) || !missing.IsNotFound) {
				t.Errorf("error = %v, want not found", err)
			}
		})
	}
}

func TestNameServersAnswerOverTCP(t *testing.T) {
	for _, test := range []struct {
		name  string
		kind  uint16
		rcode int
		want  []string
	}{
		{"console.apps.c-1.example.net.", dns.TypeA, dns.RcodeSuccess, []string{
			"console.apps.c-1.example.net.\t60\tIN\tCNAME\tingress.c-1.example.net.",
			"ingress.c-1.example.net.\t60\tIN\tA\t198.19.0.2"}},
		{"c-1.example.net.", dns.TypeNS, dns.RcodeSuccess, []string{"c-1.example.net.\t3600\tIN\tNS\tns1.exoscale.com."}},
		{"_acme.c-1.example.net.", dns.TypeTXT, dns.RcodeSuccess, []string{"_acme.c-1.example.net.\t60\tIN\tTXT\t\"v=1; a b\""}},
		{"api.c-1.example.net.", dns.TypeTXT, dns.RcodeSuccess, nil},
		{"nowhere.c-1.example.net.", dns.TypeA, dns.RcodeNameError, nil},
		{"nowhere.test.", dns.TypeA, dns.RcodeRefused, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reply := ask(t, test.name, test.kind)
				if reply.Rcode != test.rcode {
					t.Errorf("code = %s, want %s", dns.RcodeToString[reply.Rcode], dns.RcodeToString[test.rcode])
				}
				var got []string
				for _, rr := range reply.Answer {
					got = append(got, rr.String())
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func ask(t *testing.T, name string, kind uint16) *dns.Msg {
	t.Helper()
	f := fabric.New(fabric.Config{})
	defer f.Close()
	server, err := f.Host(address("203.0.113.53"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := f.Host(address("192.0.2.10"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := server.Listen(53)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = directory().Serve(l) }()
	c, err := client.Dial(t.Context(), "tcp", "203.0.113.53:53")
	if err != nil {
		t.Fatal(err)
	}
	reply, _, err := new(dns.Client).ExchangeWithConn(new(dns.Msg).SetQuestion(name, kind), &dns.Conn{Conn: c})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}
