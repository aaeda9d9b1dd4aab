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

// networkFault is what a scenario does to packets and names on their way, whichever service they are for. Nothing that is nil does
// anything.
type networkFault struct {
	missingNames []string // names that exist for nobody
	// drops tells whether a packet gets lost, and middle which host answers in the place of the one that was meant.
	drop     func(from, to netip.Addr) bool
	redirect func(from, to netip.Addr, port int) netip.Addr
	// views are the records that the operator's resolver has of its own.
	records       map[string]netip.Addr
	onlyRecords   bool                                  // it knows no others
	proxy         func(*http.Request) (*url.URL, error) // of the operator's machine
	clockOffset   time.Duration                         // how far the world's clock is ahead of the operator's
	registryDelay time.Duration                         // of each answer of a registry, on the wall clock
	setup         func(z *Zone) error                   // brings up who stands in the middle
}

// isDropped tells whether a packet gets lost on its way.
func (z *Zone) isDropped(from, to netip.Addr) bool {
	return z.networkFault.drop != nil && z.networkFault.drop(from, to)
}

// redirectPacket returns who answers a packet in the place of the one who was meant.
func (z *Zone) redirectPacket(from, to netip.Addr, proto string, port int) netip.Addr {
	if z.networkFault.redirect == nil || proto != "tcp" {
		return netip.Addr{}
	}
	return z.networkFault.redirect(from, to, port)
}

func (z *Zone) openNetworkFault() error {
	if z.networkFault.setup == nil {
		return nil
	}
	return z.networkFault.setup(z)
}

// getServerTime is what the clocks of the world show to whoever asks from an address: to the operator another time than
// their own clock, if that is wrong.
func (z *Zone) getServerTime(asker netip.Addr) time.Time {
	if isOperator(asker) {
		return time.Now().Add(z.networkFault.clockOffset)
	}
	return time.Now()
}

// delayRegistries returns what stands before the container registries.
func (z *Zone) delayRegistries() func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		if z.networkFault.registryDelay == 0 {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			timer := time.NewTimer(z.computeRegistryDelay(r.RemoteAddr))
			defer timer.Stop()
			select {
			case <-timer.C:
				next.ServeHTTP(w, r)
			case <-r.Context().Done():
			}
		})
	}
}

// computeRegistryDelay returns how long a registry takes to answer whoever asks, on the wall clock. For machines of a zone that lives
// fast it is shorter, never more than some minutes of their time: they would lose their patience.
func (z *Zone) computeRegistryDelay(asker string) time.Duration {
	from, err := netip.ParseAddrPort(asker)
	if err == nil && isInstance(from.Addr()) {
		return min(z.networkFault.registryDelay, z.clock.ToWall(5*time.Minute))
	}
	return z.networkFault.registryDelay
}

// lookup returns how the operator's machine resolves names.
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

// resolve returns whom the operator's machine asks for other records.
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

// isOperator tells whether a packet comes from the operator's machine.
func isOperator(from netip.Addr) bool { return from.String() == clientAddress }

// isTLSPort tells whether TLS is usual at a port.
func isTLSPort(port int) bool { return slices.Contains([]int{443, 6443, 8140}, port) }
