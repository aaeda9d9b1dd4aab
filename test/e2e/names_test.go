package e2e

import (
	"maps"
	"net/netip"
	"slices"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

const domain = "c-demo-1.example.net"

// names is a name server of the cluster's zone.
type names struct {
	mu        sync.Mutex
	addresses map[string][]netip.Addr
	silent    bool
}

func serveNames(t *testing.T) *names {
	t.Helper()
	n := &names{addresses: map[string][]netip.Addr{}}
	started := make(chan struct{})
	server := &dns.Server{Addr: nameServer + ":53", Net: "udp", Handler: n, NotifyStartedFunc: func() { close(started) }}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		t.Fatal(err)
	case <-started:
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	return n
}

// set gives a name its addresses; without any it does not exist.
func (n *names) set(name string, machines ...*machine) {
	n.mu.Lock()
	defer n.mu.Unlock()
	full := name + "." + domain + "."
	delete(n.addresses, full)
	for _, m := range machines {
		n.addresses[full] = append(n.addresses[full], m.address)
	}
}

// silence has the server ignore all questions, or answer again.
func (n *names) silence(silent bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.silent = silent
}

// ServeDNS implements dns.Handler. Only IPv4 addresses exist.
func (n *names) ServeDNS(w dns.ResponseWriter, question *dns.Msg) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.silent {
		return
	}
	asked := question.Question[0]
	answer := new(dns.Msg).SetReply(question)
	answer.Authoritative = true
	addresses, exists := n.addresses[asked.Name]
	switch {
	case !exists:
		answer.Rcode = dns.RcodeNameError
	case asked.Qtype == dns.TypeA:
		for _, a := range addresses {
			header := dns.RR_Header{Name: asked.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}
			answer.Answer = append(answer.Answer, &dns.A{Hdr: header, A: a.AsSlice()})
		}
	}
	if len(answer.Answer) == 0 {
		answer.Ns = []dns.RR{&dns.SOA{
			Hdr: dns.RR_Header{Name: domain + ".", Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: 3600},
			Ns:  "ns1." + domain + ".", Mbox: "admin." + domain + ".", Minttl: 300,
		}}
	}
	_ = w.WriteMsg(answer)
}

// known returns the names that exist.
func (n *names) known() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.addresses))
}
