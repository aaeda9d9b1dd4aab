package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

// maxCuts limits the zones on the way from the top-level domain to a domain's parent.
const maxCuts = 8

// NameServers queries the servers of zones themselves, without a resolver where that could cache what is about to change.
type NameServers struct{ net Network }

// NewNameServers returns a client of name servers that uses a network.
func NewNameServers(n Network) NameServers { return NameServers{n} }

// Delegation is the delegation of a domain according to the servers of its parent zone.
type Delegation struct {
	// Parent is the closest zone above the domain.
	Parent string
	// Asked holds the parent's servers that answered.
	Asked []string
	// Servers holds the name servers of the domain: sorted, in lower case, without the trailing dot. Empty means that the
	// domain is not delegated. If the parent's servers disagree, it is the union.
	Servers []string
	// Note describes a disagreement, e.g. while a change propagates; usually empty.
	Note string
}

// FindDelegation queries the servers of the closest zone above a domain for its delegation. It never asks a recursive resolver
// for the domain or anything that may not exist yet: the resolver would cache the negative answer.
func (s NameServers) FindDelegation(ctx context.Context, domain string) (Delegation, error) {
	domain = normalizeName(domain)
	op := "find the delegation of " + domain
	if _, ok := dns.IsDomainName(domain); !ok || !strings.Contains(domain, ".") {
		return Delegation{}, fault.Newf(fault.Invalid, op, "%q is not a subdomain", domain)
	}
	parent, hosts, err := s.findRegistered(ctx, domain)
	if err != nil {
		return Delegation{}, fmt.Errorf("%s: %w", op, err)
	}
	for range maxCuts {
		reports := s.queryAll(ctx, hosts, parent, domain)
		found, next, err := merge(parent, domain, reports)
		if err != nil {
			return Delegation{}, fault.New(getFaultKind(ctx), op, err).
				WithHint("check that this machine reaches port 53 of %s, directly or through the proxy", strings.Join(hosts, ", "))
		}
		if next == "" {
			return found, nil
		}
		parent, hosts = next, found.Servers
	}
	return Delegation{}, fault.Newf(fault.Invalid, op, "more than %d zones", maxCuts)
}

func (s NameServers) findRegistered(ctx context.Context, domain string) (zone string, hosts []string, err error) {
	labels := strings.Split(domain, ".")
	for first := max(len(labels)-2, 1); first < len(labels); first++ {
		zone := strings.Join(labels[first:], ".")
		answer, err := s.resolve(ctx, query(zone, dns.TypeNS))
		if err != nil {
			return "", nil, err
		}
		if hosts := extractServers(answer.Answer, zone); len(hosts) > 0 {
			return zone, hosts, nil
		}
	}
	return "", nil, fault.Newf(fault.Invalid, "find the parent zone of "+domain, "the zone does not exist").
		WithHint("check the spelling of the base domain")
}

type report struct {
	server string
	zone   string   // what it delegates: the domain, or a zone between it and the parent; "" for nothing
	names  []string // the servers of zone
	err    error    // no usable answer
}

// maxServers limits the servers of a zone that are queried. No working zone needs more.
const maxServers = 16

func (s NameServers) queryAll(ctx context.Context, hosts []string, parent, domain string) []report {
	hosts = hosts[:min(len(hosts), maxServers)]
	reports := make([]report, len(hosts))
	var asking sync.WaitGroup
	for i, host := range hosts {
		asking.Go(func() { reports[i] = s.queryOne(ctx, host, parent, domain) })
	}
	asking.Wait()
	return reports
}

func (s NameServers) queryOne(ctx context.Context, server, parent, domain string) report {
	answer, err := s.queryServer(ctx, server, newQuestion(domain, dns.TypeNS))
	if err != nil {
		return report{server: server, err: err}
	}
	records := slices.Concat(answer.Answer, answer.Ns)
	for _, rr := range records {
		zone := normalizeName(rr.Header().Name)
		if rr.Header().Rrtype == dns.TypeNS && isWithinZone(domain, zone) && len(zone) > len(parent) {
			return report{server: server, zone: zone, names: extractServers(records, zone)}
		}
	}
	if !answer.Authoritative {
		err = fmt.Errorf("%s does not serve %s", server, parent)
	}
	return report{server: server, err: err}
}

// queryServer bypasses resolvers. An unusable answer, such as REFUSED, is an error.
func (s NameServers) queryServer(ctx context.Context, server string, question *dns.Msg) (*dns.Msg, error) {
	if _, _, err := net.SplitHostPort(server); err != nil {
		server = net.JoinHostPort(server, "53")
	}
	answer, err := sendQuestion(ctx, s.dialServer, server, question)
	if err == nil && answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError {
		return nil, fmt.Errorf("%s answers %s", server, dns.RcodeToString[answer.Rcode])
	}
	return answer, err
}

// merge combines the answers of parent's servers; next is a zone between parent and the domain, whose servers, in the
// delegation, have to be queried instead. An error means that no server answered.
func merge(parent, domain string, reports []report) (d Delegation, next string, err error) {
	d.Parent = parent
	var failures []error
	byAnswer := map[string][]string{} // servers by answer
	for _, r := range reports {
		switch {
		case r.err != nil:
			failures = append(failures, r.err)
			continue
		case r.zone != "" && r.zone != domain:
			return Delegation{Servers: r.names}, r.zone, nil
		}
		d.Asked = append(d.Asked, r.server)
		d.Servers = append(d.Servers, r.names...)
		view := strings.Join(r.names, ", ")
		byAnswer[view] = append(byAnswer[view], r.server)
	}
	if len(d.Asked) == 0 {
		return d, "", errors.Join(append(failures, errors.New("no server of "+parent+" answers"))...)
	}
	slices.Sort(d.Servers)
	d.Servers, d.Note = slices.Compact(d.Servers), formatDisagreement(byAnswer)
	return d, "", nil
}

func formatDisagreement(byAnswer map[string][]string) string {
	if len(byAnswer) < 2 {
		return ""
	}
	var views []string
	for view, who := range byAnswer {
		if view == "" {
			view = "no name server"
		}
		views = append(views, strings.Join(who, ", ")+" delegates to "+view)
	}
	slices.Sort(views)
	return strings.Join(views, "; ")
}
