package names

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/network"
)

// maxCachedResponses is the number of cached responses above which expired ones are removed.
const maxCachedResponses = 4096

// Resolver is a caching resolver. It caches responses for their TTL, and missing names for the TTL of their zone's SOA record.
// Delegations are not cached; those that change without their zone are rare.
type Resolver struct {
	directory *Directory
	clock     network.Clock

	mu    sync.Mutex
	cache map[question]answer
}

// question: the type "" is for names that do not exist at all.
type question struct{ name, kind string }

type answer struct {
	records []Record
	exists  bool
	soa     Record // of a response without records
	expires time.Time
}

// NewResolver returns a resolver with an empty cache.
func NewResolver(directory *Directory, clock network.Clock) *Resolver {
	return &Resolver{directory: directory, clock: clock, cache: map[question]answer{}}
}

// Lookup returns the IPv4 addresses of a name in the order of their records. A name without any is a *net.DNSError whose
// IsNotFound is true; after a lame delegation, IsTemporary is.
func (r *Resolver) Lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	if err := ctx.Err(); err != nil {
		return nil, &net.DNSError{Err: err.Error(), Name: name, IsTimeout: true}
	}
	chain, err := r.followAliases(toCanonical(name), "A")
	if err != nil {
		return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true, UnwrapErr: err}
	}
	if list := parseAddresses(chain[len(chain)-1].records); len(list) > 0 {
		return list, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func parseAddresses(records []Record) []netip.Addr {
	var list []netip.Addr
	for _, r := range records {
		if address, err := netip.ParseAddr(r.Content); err == nil && r.Type == "A" {
			list = append(list, address)
		}
	}
	return list
}

// Resolve resolves a DNS message; it is a network.Resolver.
func (r *Resolver) Resolve(ctx context.Context, asked *dns.Msg) (*dns.Msg, error) {
	reply := new(dns.Msg).SetReply(asked)
	reply.RecursionAvailable = true
	if len(asked.Question) != 1 {
		reply.Rcode = dns.RcodeFormatError
		return reply, ctx.Err()
	}
	chain, err := r.followAliases(toCanonical(asked.Question[0].Name), dns.TypeToString[asked.Question[0].Qtype])
	if err != nil {
		reply.Rcode = dns.RcodeServerFailure
		return reply, ctx.Err()
	}
	for _, link := range chain {
		reply.Answer = append(reply.Answer, toResourceRecords(link.records)...)
	}
	last := chain[len(chain)-1]
	if len(last.records) == 0 {
		reply.Ns = toResourceRecords([]Record{last.soa})
	}
	if !last.exists {
		reply.Rcode = dns.RcodeNameError
	}
	return reply, ctx.Err()
}

func (r *Resolver) followAliases(name, kind string) (chain []answer, err error) {
	for range maxAliases {
		link, err := r.resolveOne(question{name, kind})
		if err != nil {
			return nil, err
		}
		chain = append(chain, link)
		if len(link.records) == 0 || link.records[0].Type != "CNAME" || kind == "CNAME" {
			return chain, nil
		}
		name = toCanonical(link.records[0].Content)
	}
	return nil, errLame
}

// resolveOne returns the cached response with its remaining TTL, or else the authoritative one.
func (r *Resolver) resolveOne(asked question) (answer, error) {
	if host, fixed := r.directory.config.Hosts[asked.name]; fixed && asked.kind == "A" {
		return answer{exists: true, records: []Record{newHostRecord(asked.name, host)}}, nil
	}
	now := r.clock.Now()
	if known, ok := r.getCached(asked, now); ok {
		return known.withRemainingTTL(now), nil
	}
	zone, err := r.directory.findAuthoritativeZone(asked.name)
	if err != nil {
		return answer{}, err // failures may be cached as well (RFC 2308, 7), but need not
	}
	found := zone.resolveAt(asked, now)
	r.setCached(asked, found, now)
	return found, nil
}

func (z Zone) resolveAt(asked question, now time.Time) answer {
	records, exists := z.find(asked.name, asked.kind)
	if len(records) == 0 {
		soa, seconds := z.buildNegative()
		return answer{exists: exists, soa: soa, expires: now.Add(time.Duration(seconds) * time.Second)}
	}
	ttl := records[0].TTL
	for _, r := range records {
		ttl = min(ttl, r.TTL)
	}
	return answer{exists: true, records: records, expires: now.Add(time.Duration(ttl) * time.Second)}
}

func (r *Resolver) getCached(asked question, now time.Time) (answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range []question{asked, {name: asked.name}} {
		if known, ok := r.cache[q]; ok && now.Before(known.expires) {
			return known, true
		}
	}
	return answer{}, false
}

func (r *Resolver) setCached(asked question, found answer, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !found.exists {
		asked.kind = ""
	}
	if len(r.cache) >= maxCachedResponses {
		for q, known := range r.cache {
			if !now.Before(known.expires) {
				delete(r.cache, q)
			}
		}
	}
	r.cache[asked] = found
}

func (a answer) withRemainingTTL(now time.Time) answer {
	left := int(a.expires.Sub(now) / time.Second)
	a.soa.TTL = min(a.soa.TTL, left)
	records := make([]Record, len(a.records))
	for i, record := range a.records {
		record.TTL = min(record.TTL, left)
		records[i] = record
	}
	a.records = records
	return a
}
