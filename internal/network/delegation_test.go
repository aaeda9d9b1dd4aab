package network

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

const (
	toOne = "c-1.example.net. 3600 IN NS NS1.Exoscale.com."
	toTwo = "c-1.example.net. 3600 IN NS ns1.exoscale.ch."
)

// registry returns a world in which example.net has the servers a and b.
func registry(t *testing.T, a, b func(*dns.Msg, bool)) world {
	t.Helper()
	resolver := serveNames(t, func(reply *dns.Msg, _ bool) {
		if reply.Question[0].Name != "example.net." || reply.Question[0].Qtype != dns.TypeNS || !reply.RecursionDesired {
			reply.Rcode = dns.RcodeNameError
			return
		}
		reply.Answer = records(t, "example.net. 60 IN NS b.registry.test.", "EXAMPLE.net. 60 IN NS a.registry.test.")
	})
	return world{"resolver:53": resolver, "a.registry.test:53": serveNames(t, a), "b.registry.test:53": serveNames(t, b)}
}

func TestFindDelegation_FromParentServers(t *testing.T) {
	both := []string{"a.registry.test", "b.registry.test"}
	good := []string{"ns1.exoscale.ch", "ns1.exoscale.com"}
	missing := answers(dns.RcodeNameError, true)
	for name, test := range map[string]struct {
		a, b func(*dns.Msg, bool)
		want Delegation
	}{
		"by referral":             {refers(t, toOne, toTwo), refers(t, toTwo, toOne), Delegation{Asked: both, Servers: good}},
		"from the zone itself":    {says(t, toOne, toTwo), says(t, toOne, toTwo), Delegation{Asked: both, Servers: good}},
		"none":                    {missing, missing, Delegation{Asked: both}},
		"none, but names below":   {says(t), says(t), Delegation{Asked: both}},
		"with one server silent":  {answers(dns.RcodeRefused, false), refers(t, toOne, toTwo), Delegation{Asked: both[1:], Servers: good}},
		"with one that is lame":   {refers(t, "net. 60 IN NS x.test."), refers(t, toOne, toTwo), Delegation{Asked: both[1:], Servers: good}},
		"with one that is behind": {missing, refers(t, toOne), Delegation{Asked: both, Servers: good[1:], Note: "a.registry.test delegates to no name server; b.registry.test delegates to ns1.exoscale.com"}},
		"with one that is ahead":  {refers(t, toOne), refers(t, toTwo), Delegation{Asked: both, Servers: good, Note: "a.registry.test delegates to ns1.exoscale.com; b.registry.test delegates to ns1.exoscale.ch"}},
		"of someone else, beside": {refers(t, toOne, "c-2.example.net. 60 IN NS x.test."), refers(t, toOne), Delegation{Asked: both, Servers: good[1:]}},
	} {
		t.Run(name, func(t *testing.T) {
			test.want.Parent = "example.net"
			got, err := NewNameServers(registry(t, test.a, test.b).network()).FindDelegation(t.Context(), "C-1.example.net.")
			must(t, err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFindDelegation_UsesNoResolver(t *testing.T) {
	w := registry(t, answers(dns.RcodeNameError, true), answers(dns.RcodeNameError, true))
	_, err := NewNameServers(w.network()).FindDelegation(t.Context(), "c-1.clusters.example.net")
	must(t, err)
	for _, question := range w["resolver:53"].questions() {
		if question.Question[0].Name != "example.net." {
			t.Errorf("the resolver was asked for %s", question.Question[0].Name)
		}
	}
	for _, question := range w["a.registry.test:53"].questions() {
		if question.RecursionDesired {
			t.Errorf("a name server was asked to recurse: %s", question)
		}
	}
}

func TestFindDelegation_IntermediateZones(t *testing.T) {
	between := refers(t, "clusters.example.net. 60 IN NS ns.clusters.test.")
	w := registry(t, between, between)
	w["ns.clusters.test:53"] = serveNames(t, refers(t, "c-1.clusters.example.net. 60 IN NS ns1.exoscale.com."))
	got, err := NewNameServers(w.network()).FindDelegation(t.Context(), "c-1.clusters.example.net")
	must(t, err)
	want := Delegation{Parent: "clusters.example.net", Asked: []string{"ns.clusters.test"}, Servers: []string{"ns1.exoscale.com"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindDelegation_TopLevelParent(t *testing.T) {
	w := world{
		"resolver:53":    serveNames(t, says(t, "net. 60 IN NS a.gtld.test.")),
		"a.gtld.test:53": serveNames(t, refers(t, "example.net. 60 IN NS ns1.exoscale.com.")),
	}
	for _, domain := range []string{"example.net"} {
		got, err := NewNameServers(w.network()).FindDelegation(t.Context(), domain)
		must(t, err)
		want := Delegation{Parent: "net", Asked: []string{"a.gtld.test"}, Servers: []string{"ns1.exoscale.com"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestFindDelegation_UnknownIsError(t *testing.T) {
	refuse := answers(dns.RcodeRefused, false)
	silent := registry(t, refuse, refuse)
	unreachable := world{"resolver:53": silent["resolver:53"]}
	lost := world{"resolver:53": serveNames(t, answers(dns.RcodeNameError, false))}
	broken := world{"resolver:53": serveNames(t, answers(dns.RcodeServerFailure, false))}
	circle := refers(t, "b.a.example.net. 60 IN NS a.registry.test.")
	for name, test := range map[string]struct {
		network Network
		domain  string
		kind    fault.Kind
		says    string
	}{
		"all servers refuse":         {silent.network(), "c-1.example.net", fault.Transient, "REFUSED"},
		"no server can be reached":   {unreachable.network(), "c-1.example.net", fault.Transient, "b.registry.test"},
		"no resolver can be reached": {world{}.network(), "c-1.example.net", fault.Transient, "resolver:53"},
		"the resolver fails":         {broken.network(), "c-1.example.net", fault.Transient, "SERVFAIL"},
		"the base does not exist":    {lost.network(), "c-1.example.net", fault.Invalid, "does not exist"},
		"there is no base":           {silent.network(), "c-1", fault.Invalid, "c-1"},
		"there is no resolver":       {Network{Dial: world{}.dial}, "c-1.example.net", fault.Internal, "no resolver"},
		"a zone leads to itself":     {registry(t, circle, circle).network(), "c.b.a.example.net", fault.Transient, "does not serve"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := NewNameServers(test.network).FindDelegation(t.Context(), test.domain)
			if !fault.Is(err, test.kind) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%+v, %v of kind %d, want kind %d with %q", got, err, fault.KindOf(err), test.kind, test.says)
			}
		})
	}
}

func TestFindDelegation_CancelIsNoServerFailure(t *testing.T) {
	w := registry(t, says(t), says(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewNameServers(w.network()).FindDelegation(ctx, "c-1.example.net"); !fault.Is(err, fault.Cancelled) {
		t.Errorf("delegation: %v", err)
	}
	if _, err := NewNameServers(w.network()).QueryAddresses(ctx, "a.registry.test", "api.c-1.example.net"); !fault.Is(err, fault.Cancelled) {
		t.Errorf("addresses: %v", err)
	}
}

func TestFindDelegation_LimitsQueriedServers(t *testing.T) {
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprintf("sub.example.net. 60 IN NS n%d.hostile.test.", i))
	}
	w := registry(t, refers(t, lines...), refers(t, lines...))
	n, dialed := w.network(), sync.Map{}
	n.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed.Store(address, true)
		return w.dial(ctx, network, address)
	}
	_, err := NewNameServers(n).FindDelegation(t.Context(), "c-1.sub.example.net")
	hostile := 0
	dialed.Range(func(address, _ any) bool {
		if strings.HasSuffix(address.(string), ".hostile.test:53") {
			hostile++
		}
		return true
	})
	if err == nil || hostile != maxServers {
		t.Errorf("%d of them were asked: %v", hostile, err)
	}
}
