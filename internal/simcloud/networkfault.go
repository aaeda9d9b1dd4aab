package simcloud

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/network"
)

// networkFault is a scenario's effect on packets and names, for any service. Nil functions have no effect.
type networkFault struct {
	missingNames []string // names without any record
	// drop reports whether a packet is lost; redirect returns the host that responds in place of the destination.
	drop     func(from, to netip.Addr) bool
	redirect func(from, to netip.Addr, port int) netip.Addr
	// records are the operator's resolver's own records.
	records       map[string]netip.Addr
	onlyRecords   bool                                  // the resolver has no other records
	proxy         func(*http.Request) (*url.URL, error) // of the operator's machine
	clockOffset   time.Duration                         // servers' clocks minus the operator's
	registryDelay time.Duration                         // of each response of a registry, in wall-clock time
	setup         func(*middleboxes) error              // starts the host in the middle
}

func (w networkFault) isDropped(from, to netip.Addr) bool {
	return w.drop != nil && w.drop(from, to)
}

func (w networkFault) redirectPacket(from, to netip.Addr, proto string, port int) netip.Addr {
	if w.redirect == nil || proto != "tcp" {
		return netip.Addr{}
	}
	return w.redirect(from, to, port)
}

// serverTime returns the wall clock's time, for the operator with the scenario's clockOffset.
func (w networkFault) serverTime(asker netip.Addr) time.Time {
	if isOperator(asker) {
		return time.Now().Add(w.clockOffset)
	}
	return time.Now()
}

func (w networkFault) delayRegistries(clock network.Clock) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		if w.registryDelay == 0 {
			return next
		}
		return http.HandlerFunc(func(response http.ResponseWriter, r *http.Request) {
			timer := time.NewTimer(w.computeRegistryDelay(r.RemoteAddr, clock))
			defer timer.Stop()
			select {
			case <-timer.C:
				next.ServeHTTP(response, r)
			case <-r.Context().Done():
			}
		})
	}
}

// computeRegistryDelay returns the delay of a registry's responses, in wall-clock time. It is shorter for machines of a zone
// with high Speed, at most some minutes of their time, within their timeouts.
func (w networkFault) computeRegistryDelay(asker string, clock network.Clock) time.Duration {
	from, err := netip.ParseAddrPort(asker)
	if err == nil && isInstance(from.Addr()) {
		return min(w.registryDelay, clock.ToWall(5*time.Minute))
	}
	return w.registryDelay
}

func (w networkFault) lookup(next func(context.Context, string) ([]netip.Addr, error)) func(context.Context, string) ([]netip.Addr, error) {
	return func(ctx context.Context, name string) ([]netip.Addr, error) {
		if own, ok := w.records[normalizeName(name)]; ok {
			return []netip.Addr{own}, nil
		}
		if w.onlyRecords {
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		}
		return next(ctx, name)
	}
}

func (w networkFault) resolve(next network.Resolver) network.Resolver {
	return func(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
		if len(question.Question) != 1 {
			return next(ctx, question)
		}
		asked := question.Question[0]
		own, ok := w.records[normalizeName(asked.Name)]
		switch {
		case ok && asked.Qtype == dns.TypeA:
			reply := new(dns.Msg).SetReply(question)
			reply.RecursionAvailable = true
			header := dns.RR_Header{Name: asked.Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 60}
			reply.Answer = []dns.RR{&dns.A{Hdr: header, A: own.AsSlice()}}
			return reply, ctx.Err()
		case w.onlyRecords:
			reply := new(dns.Msg).SetRcode(question, dns.RcodeNameError)
			reply.RecursionAvailable = true
			return reply, ctx.Err()
		}
		return next(ctx, question)
	}
}

func normalizeName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

func isOperator(from netip.Addr) bool { return from.String() == clientAddress }

func isTLSPort(port int) bool { return slices.Contains([]int{443, 6443, 8140}, port) }
