package network

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

func TestQueryAddresses_SingleServer(t *testing.T) {
	const name = "api-int.c-1.example.net"
	for title, test := range map[string]struct {
		answer func(*dns.Msg, bool)
		want   []string
		kind   fault.Kind
	}{
		"through an alias": {says(t, name+". 60 IN CNAME api.c-1.example.net.", "api.c-1.example.net. 60 IN A 198.19.0.1",
			"api.c-1.example.net. 60 IN A 198.19.0.2"), []string{"198.19.0.1", "198.19.0.2"}, 0},
		"a missing name":         {answers(dns.RcodeNameError, true), nil, fault.NotFound},
		"a name without address": {says(t), nil, fault.NotFound},
		"a refusal":              {answers(dns.RcodeRefused, false), nil, fault.Transient},
		"a referral":             {refers(t, "example.net. 60 IN NS x.test."), nil, fault.Transient},
	} {
		t.Run(title, func(t *testing.T) {
			w := world{"ns1.exoscale.com:53": serveNames(t, test.answer)}
			got, err := NewNameServers(w.network()).QueryAddresses(t.Context(), "ns1.exoscale.com", name)
			if test.want == nil {
				if !fault.Is(err, test.kind) {
					t.Errorf("%v, %v", got, err)
				}
				return
			}
			must(t, err)
			var want []netip.Addr
			for _, address := range test.want {
				want = append(want, netip.MustParseAddr(address))
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if question := w["ns1.exoscale.com:53"].questions()[0]; question.RecursionDesired {
				t.Errorf("asked to recurse: %s", question)
			}
		})
	}
}

func TestQueryAddresses_UnreachableIsTransient(t *testing.T) {
	_, err := NewNameServers(world{}.network()).QueryAddresses(t.Context(), "ns1.exoscale.com", "api.c-1.example.net")
	if !fault.Is(err, fault.Transient) || fault.HintOf(err) == "" {
		t.Errorf("%v of kind %d", err, fault.KindOf(err))
	}
}

func TestQueryAddresses_HostWithPort(t *testing.T) {
	server := serveNames(t, says(t, "api.c-1.example.net. 60 IN A 198.19.0.1"))
	if _, err := NewNameServers(Host()).QueryAddresses(t.Context(), server.address, "api.c-1.example.net"); err != nil {
		t.Error(err)
	}
}
