package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

// maxAliases limits the length of a CNAME chain.
const maxAliases = 4

// QueryAuthoritative returns the IPv4 addresses of a name from its own servers. A recursive resolver is used only to find the
// servers of the top-level domain. A name that its servers do not know is of kind NotFound; every other failure is Transient.
func (s NameServers) QueryAuthoritative(ctx context.Context, name string) ([]netip.Addr, error) {
	op := "ask the servers of " + normalizeName(name) + " themselves"
	name = normalizeName(name)
	for range maxAliases {
		answer, err := s.walk(ctx, name)
		switch {
		case err != nil:
			return nil, fault.New(getFaultKind(ctx), op, err).WithHint("check that this machine reaches port 53 of the internet")
		case answer.Rcode == dns.RcodeNameError:
			return nil, fault.Newf(fault.NotFound, op, "the name does not exist")
		}
		if list := extractAddresses(answer); len(list) > 0 {
			return list, nil
		}
		alias := findAlias(answer, name)
		if alias == name {
			return nil, fault.Newf(fault.NotFound, op, "the name has no address")
		}
		name = alias
	}
	return nil, fault.Newf(fault.Transient, op, "more than %d aliases", maxAliases)
}

func findAlias(answer *dns.Msg, name string) string {
	for range min(len(answer.Answer), maxAliases) {
		for _, rr := range answer.Answer {
			if alias, ok := rr.(*dns.CNAME); ok && normalizeName(alias.Hdr.Name) == name {
				name = normalizeName(alias.Target)
			}
		}
	}
	return name
}

// walk follows referrals from the top-level domain down to an authoritative answer.
func (s NameServers) walk(ctx context.Context, name string) (*dns.Msg, error) {
	zone, hosts, err := s.findTopZone(ctx, name)
	if err != nil {
		return nil, err
	}
	for range maxCuts {
		answer, err := s.queryFirst(ctx, hosts, newQuestion(name, dns.TypeA))
		if err != nil {
			return nil, err
		}
		if answer.Authoritative {
			return answer, nil
		}
		next, referred := findReferral(answer, zone, name)
		if len(referred) == 0 {
			return nil, fmt.Errorf("the servers of %s return no name servers", zone)
		}
		zone, hosts = next, referred
	}
	return nil, fmt.Errorf("more than %d zones", maxCuts)
}

func (s NameServers) findTopZone(ctx context.Context, name string) (zone string, hosts []string, err error) {
	labels := strings.Split(name, ".")
	for first := len(labels) - 1; first >= max(len(labels)-2, 0); first-- {
		zone := strings.Join(labels[first:], ".")
		answer, err := s.resolve(ctx, query(zone, dns.TypeNS))
		if err != nil {
			return "", nil, err
		}
		if hosts := extractServers(answer.Answer, zone); len(hosts) > 0 {
			return zone, hosts, nil
		}
	}
	return "", nil, errors.New("the top-level domain has no name servers")
}

// findReferral returns the next zone with its servers: by address where the answer has glue, as our resolver may resolve their
// names differently.
func findReferral(answer *dns.Msg, zone, name string) (next string, hosts []string) {
	for _, rr := range answer.Ns {
		cut := normalizeName(rr.Header().Name)
		if rr.Header().Rrtype != dns.TypeNS || !isWithinZone(name, cut) || len(cut) <= len(zone) {
			continue
		}
		for _, server := range extractServers(answer.Ns, cut) {
			hosts = append(hosts, findGlue(answer, server))
		}
		return cut, hosts
	}
	return "", nil
}

func findGlue(answer *dns.Msg, server string) string {
	for _, rr := range answer.Extra {
		if a, ok := rr.(*dns.A); ok && normalizeName(a.Hdr.Name) == server {
			return a.A.String()
		}
	}
	return server
}

// maxAsked limits the servers of a zone that get the same question.
const maxAsked = 4

func (s NameServers) queryFirst(ctx context.Context, hosts []string, question *dns.Msg) (*dns.Msg, error) {
	ctx, cancel := context.WithCancel(ctx)
	hosts = hosts[:min(len(hosts), maxAsked)]
	answers, failures := make(chan *dns.Msg, len(hosts)), make([]error, len(hosts))
	var asking sync.WaitGroup
	for i, host := range hosts {
		asking.Go(func() {
			answer, err := s.queryServer(ctx, host, question.Copy())
			if failures[i] = err; err == nil {
				answers <- answer
				cancel()
			}
		})
	}
	asking.Wait()
	cancel()
	select {
	case answer := <-answers:
		return answer, nil
	default:
		return nil, errors.Join(failures...)
	}
}

func (s NameServers) resolve(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
	op := "ask for the " + dns.TypeToString[question.Question[0].Qtype] + " records of " + question.Question[0].Name
	if s.net.Resolver == nil {
		return nil, fault.Newf(fault.Internal, op, "no resolver is configured")
	}
	answer, err := s.net.Resolver(ctx, question)
	if err == nil && answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		err = fmt.Errorf("the resolver answers %s", dns.RcodeToString[answer.Rcode])
	}
	if err != nil {
		return nil, fault.New(getFaultKind(ctx), op, err).
			WithHint("check the resolvers in %s, or set HTTPS_PROXY where names are resolved behind a proxy", resolvConf)
	}
	return answer, nil
}

// QueryAddresses queries one authoritative server ("host" or "host:port"), without a resolver, for the IPv4 addresses of a
// name. A name without any is of kind NotFound; a server that does not answer, or not for this name, is Transient.
func (s NameServers) QueryAddresses(ctx context.Context, server, name string) ([]netip.Addr, error) {
	op := "ask " + server + " for " + normalizeName(name)
	answer, err := s.queryServer(ctx, server, newQuestion(name, dns.TypeA))
	if err != nil {
		return nil, fault.New(getFaultKind(ctx), op, err).
			WithHint("check that this machine reaches port 53 of %s, directly or through the proxy", server)
	}
	if list := extractAddresses(answer); len(list) > 0 {
		return list, nil
	}
	if !answer.Authoritative {
		return nil, fault.Newf(fault.Transient, op, "it does not serve that zone").
			WithHint("wait until the zone has reached its name servers")
	}
	return nil, fault.Newf(fault.NotFound, op, "it has no address for the name")
}

// dialServer uses TCP through a proxy where one applies, because proxies do not carry UDP.
func (s NameServers) dialServer(ctx context.Context, network, address string) (net.Conn, error) {
	_, applies := s.net.findProxy(&url.URL{Scheme: "https", Host: address, Path: "/"})
	switch {
	case network == "tcp":
		return s.net.Connect(ctx, address)
	case applies:
		return nil, net.UnknownNetworkError(network)
	}
	return s.net.Dial(ctx, network, address)
}
