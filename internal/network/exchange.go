package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

const (
	// responseTimeout is the timeout of a server's answer, on the wall clock.
	responseTimeout = 5 * time.Second
	// datagram is the largest answer accepted by UDP: larger ones would be fragmented.
	datagram = 1232
)

func query(name string, kind uint16) *dns.Msg {
	return new(dns.Msg).SetQuestion(dns.Fqdn(name), kind).SetEdns0(datagram, false)
}

func newQuestion(name string, kind uint16) *dns.Msg {
	question := query(name, kind)
	question.RecursionDesired = false
	return question
}

// sendQuestion uses UDP, and TCP if that fails or the answer is truncated.
func sendQuestion(ctx context.Context, dial func(context.Context, string, string) (net.Conn, error), server string, question *dns.Msg) (*dns.Msg, error) {
	var failures []error
	for _, transport := range []string{"udp", "tcp"} {
		conn, err := dial(ctx, transport, server)
		if err == nil {
			var answer *dns.Msg
			if answer, err = exchange(ctx, conn, question); err == nil && !answer.Truncated {
				return answer, nil
			}
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", transport, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("ask %s: %w", server, errors.Join(failures...))
}

func exchange(ctx context.Context, conn net.Conn, question *dns.Msg) (*dns.Msg, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	defer conn.Close()
	client := dns.Client{Timeout: responseTimeout}
	answer, _, err := client.ExchangeWithConn(question, &dns.Conn{Conn: conn, UDPSize: datagram})
	if ended := ctx.Err(); err != nil && ended != nil {
		err = ended
	}
	return answer, err
}

func extractAddresses(answer *dns.Msg) []netip.Addr { return filterAddresses(answer.Answer, dns.TypeA) }

func filterAddresses(records []dns.RR, kind uint16) []netip.Addr {
	var list []netip.Addr
	for _, rr := range records {
		var ip net.IP
		switch rr := rr.(type) {
		case *dns.A:
			ip = rr.A.To4()
		case *dns.AAAA:
			ip = rr.AAAA.To16()
		}
		if address, ok := netip.AddrFromSlice(ip); ok && rr.Header().Rrtype == kind {
			list = append(list, address)
		}
	}
	return list
}

func extractServers(records []dns.RR, zone string) []string {
	var list []string
	for _, rr := range records {
		if ns, ok := rr.(*dns.NS); ok && normalizeName(ns.Hdr.Name) == zone {
			list = append(list, normalizeName(ns.Ns))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func normalizeName(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

func isWithinZone(name, zone string) bool { return name == zone || strings.HasSuffix(name, "."+zone) }
