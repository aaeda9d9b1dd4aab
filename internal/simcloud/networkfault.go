package simcloud

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/services"
)

// networkFault is a fault's effect on packets and names, for any service.
type networkFault struct {
	scenario.Network
	blocked, intercepted []traffic
}

// traffic is a scenario.Traffic with addresses.
type traffic struct {
	from scenario.Source
	to   map[netip.Addr]bool // nil is any host
}

func newNetworkFault(fault scenario.Network) networkFault {
	f := networkFault{Network: fault, blocked: resolveTraffic(fault.Blocked), intercepted: resolveTraffic(fault.Intercepted)}
	f.Records = maps.Clone(fault.Records)
	if f.Records == nil {
		f.Records = map[string]netip.Addr{}
	}
	if fault.Portal {
		f.Records[portalName] = netip.MustParseAddr(gatewayAddress)
	}
	if fault.Proxy {
		f.Records[proxyName] = netip.MustParseAddr(proxyAddress)
	}
	return f
}

func resolveTraffic(faults []scenario.Traffic) []traffic {
	var resolved []traffic
	for _, fault := range faults {
		t := traffic{from: fault.From}
		if fault.To != nil {
			t.to = map[netip.Addr]bool{}
			for name, address := range services.Addresses() {
				if matchesAny(fault.To, name) {
					t.to[netip.MustParseAddr(address)] = true
				}
			}
		}
		resolved = append(resolved, t)
	}
	return resolved
}

func (t traffic) contains(from, to netip.Addr) bool {
	switch {
	case t.from == scenario.Operator && !isOperator(from), t.from == scenario.Machines && !isInstance(from):
		return false
	}
	return t.to == nil || t.to[to]
}

func (f networkFault) isDropped(from, to netip.Addr) bool {
	bypassesProxy := f.Proxy && isOperator(from) && to.String() != proxyAddress && to.String() != operatorResolver
	return bypassesProxy || slices.ContainsFunc(f.blocked, func(t traffic) bool { return t.contains(from, to) })
}

// redirectPacket returns the host in the middle that responds in place of the destination, if there is one.
func (f networkFault) redirectPacket(from, to netip.Addr, proto string, port int) netip.Addr {
	if proto != "tcp" {
		return netip.Addr{}
	}
	if isTLSPort(port) {
		for _, t := range f.intercepted {
			if at := netip.MustParseAddr(gatewayOf(t.from)); t.contains(from, to) && to != at {
				return at
			}
		}
	}
	if at := netip.MustParseAddr(gatewayAddress); f.Portal && isOperator(from) && isWebPort(port) && to != at {
		return at
	}
	return netip.Addr{}
}

// gatewayOf returns the address of the host in the middle between hosts and the internet.
func gatewayOf(hosts scenario.Source) string {
	if hosts == scenario.Operator {
		return gatewayAddress
	}
	return zoneGatewayAddress
}

// proxyURL is the proxy of the operator's machine; nil if there is none.
func (f networkFault) proxyURL() func(*http.Request) (*url.URL, error) {
	if !f.Proxy {
		return nil
	}
	return http.ProxyURL(&url.URL{Scheme: "http", Host: net.JoinHostPort(proxyName, strconv.Itoa(proxyPort))})
}

// serverTime returns the wall clock's time, for the operator with the fault's ClockOffset.
func (f networkFault) serverTime(asker netip.Addr) time.Time {
	if isOperator(asker) {
		return time.Now().Add(f.ClockOffset)
	}
	return time.Now()
}

func (f networkFault) delayRegistries(clock network.Clock) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		if f.RegistryDelay == 0 {
			return next
		}
		return http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
			timer := time.NewTimer(f.computeRegistryDelay(r.RemoteAddr, clock))
			defer timer.Stop()
			select {
			case <-timer.C:
				next.ServeHTTP(response, r)
			case <-r.Context().Done():
			}
		})
	}
}

// computeRegistryDelay returns the delay of a registry's responses, in wall-clock time. Machines of a zone live by its clock; the
// operator's requests end by the wall clock.
func (f networkFault) computeRegistryDelay(asker string, clock network.Clock) time.Duration {
	from, err := netip.ParseAddrPort(asker)
	if err == nil && isInstance(from.Addr()) {
		return clock.ToWall(f.RegistryDelay)
	}
	return f.RegistryDelay
}

func (f networkFault) lookup(next func(context.Context, string) ([]netip.Addr, error)) func(context.Context, string) ([]netip.Addr, error) {
	return func(ctx context.Context, name string) ([]netip.Addr, error) {
		if own, ok := f.Records[normalizeName(name)]; ok {
			return []netip.Addr{own}, nil
		}
		if f.Proxy { // a company that has one resolves internal names only
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		}
		return next(ctx, name)
	}
}

func (f networkFault) resolve(next network.Resolver) network.Resolver {
	return func(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
		if len(question.Question) != 1 {
			return next(ctx, question)
		}
		asked := question.Question[0]
		own, ok := f.Records[normalizeName(asked.Name)]
		switch {
		case ok && asked.Qtype == dns.TypeA:
			reply := new(dns.Msg).SetReply(question)
			reply.RecursionAvailable = true
			header := dns.RR_Header{Name: asked.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}
			reply.Answer = []dns.RR{&dns.A{Hdr: header, A: own.AsSlice()}}
			return reply, ctx.Err()
		case f.Proxy:
			reply := new(dns.Msg).SetRcode(question, dns.RcodeNameError)
			reply.RecursionAvailable = true
			return reply, ctx.Err()
		}
		return next(ctx, question)
	}
}

func normalizeName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

func isOperator(from netip.Addr) bool { return from.String() == clientAddress }

func isWebPort(port int) bool { return port == 80 || isTLSPort(port) }

func isTLSPort(port int) bool { return slices.Contains([]int{443, 6443, 8140}, port) }
