package network

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

// tree returns a world with com served by tld, and example.com by own.
func tree(t *testing.T, tld, own func(*dns.Msg, bool)) world {
	t.Helper()
	resolver := serveNames(t, func(reply *dns.Msg, _ bool) {
		if asked := reply.Question[0]; asked.Name != "com." || asked.Qtype != dns.TypeNS {
			t.Errorf("the resolver was asked for %s", asked.Name)
		}
		reply.Answer = records(t, "com. 60 IN NS a.tld.test.")
	})
	return world{"resolver:53": resolver, "a.tld.test:53": serveNames(t, tld), "192.0.2.53:53": serveNames(t, own), "ns.example.com:53": serveNames(t, own)}
}

func TestQueryAuthoritative_WithoutResolver(t *testing.T) {
	refer := refers(t, "example.com. 60 IN NS ns.example.com.")
	glued := func(reply *dns.Msg, udp bool) {
		refer(reply, udp)
		reply.Extra = records(t, "ns.example.com. 60 IN A 192.0.2.53")
	}
	for title, test := range map[string]struct {
		tld, own func(*dns.Msg, bool)
		want     []string
		kind     fault.Kind
	}{
		"by address":              {glued, says(t, "www.example.com. 60 IN A 198.19.0.1"), []string{"198.19.0.1"}, 0},
		"by name":                 {refer, says(t, "www.example.com. 60 IN A 198.19.0.1"), []string{"198.19.0.1"}, 0},
		"through an alias":        {glued, says(t, "www.example.com. 60 IN CNAME a.example.com.", "a.example.com. 60 IN A 198.19.0.2"), []string{"198.19.0.2"}, 0},
		"at the top":              {says(t, "www.example.com. 60 IN A 198.19.0.3"), nil, []string{"198.19.0.3"}, 0},
		"a missing name":          {glued, answers(dns.RcodeNameError, true), nil, fault.NotFound},
		"a missing domain":        {answers(dns.RcodeNameError, true), nil, nil, fault.NotFound},
		"a name without address":  {glued, says(t), nil, fault.NotFound},
		"aliases in a circle":     {glued, says(t, "www.example.com. 60 IN CNAME www.example.com."), nil, fault.NotFound},
		"aliases without end":     {glued, endless(t), nil, fault.Transient},
		"servers that refuse":     {glued, answers(dns.RcodeRefused, false), nil, fault.Transient},
		"servers that know none":  {glued, answers(dns.RcodeSuccess, false), nil, fault.Transient},
		"servers that lead aside": {refers(t, "example.org. 60 IN NS x.test."), nil, nil, fault.Transient},
	} {
		t.Run(title, func(t *testing.T) {
			if test.own == nil {
				test.own = answers(dns.RcodeRefused, false)
			}
			list, err := NewNameServers(tree(t, test.tld, test.own).network()).QueryAuthoritative(t.Context(), "WWW.example.com.")
			var got []string
			for _, address := range list {
				got = append(got, address.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" || (err != nil) != (test.want == nil) || err != nil && !fault.Is(err, test.kind) {
				t.Errorf("%v of kind %d (-want +got):\n%s", err, fault.KindOf(err), diff)
			}
		})
	}
}

// endless answers every name with another alias.
func endless(t *testing.T) func(*dns.Msg, bool) {
	return func(reply *dns.Msg, _ bool) {
		name := reply.Question[0].Name
		reply.Authoritative = true
		reply.Answer = records(t, name+" 60 IN CNAME x"+name)
	}
}

func TestQueryAuthoritative_NoServerReachable(t *testing.T) {
	for title, n := range map[string]Network{
		"no resolver":          {Dial: world{}.dial},
		"a resolver that left": world{}.network(),
		"no top-level domain":  world{"resolver:53": serveNames(t, answers(dns.RcodeNameError, false))}.network(),
	} {
		if list, err := NewNameServers(n).QueryAuthoritative(t.Context(), "www.example.com"); !fault.Is(err, fault.Transient) {
			t.Errorf("%s: %v, %v", title, list, err)
		}
	}
}
