package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

const resolvConf = "/etc/resolv.conf"

// Resolver queries a recursive resolver. It returns a reply whatever its code; an error means that there was no reply.
type Resolver func(ctx context.Context, question *dns.Msg) (*dns.Msg, error)

// NewResolver queries the "host:port" servers in order until one answers, by UDP, and by TCP if that fails or the answer is
// truncated.
func NewResolver(dial func(ctx context.Context, network, address string) (net.Conn, error), servers ...string) Resolver {
	return func(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
		failures := []error{errors.New("no resolver answers")}
		for _, server := range servers {
			answer, err := sendQuestion(ctx, dial, server, question)
			if err == nil {
				return answer, nil
			}
			failures = append(failures, err)
		}
		return nil, errors.Join(failures...)
	}
}

// withFallback returns a resolver that queries next if r fails.
func (r Resolver) withFallback(next Resolver) Resolver {
	return func(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
		answer, err := r(ctx, question)
		if err == nil || ctx.Err() != nil {
			return answer, err
		}
		second, nextErr := next(ctx, question)
		if nextErr != nil {
			return nil, errors.Join(err, nextErr)
		}
		return second, nil
	}
}

// lookup is for the record types A and AAAA. It falls back to next if r fails.
func (r Resolver) lookup(kind uint16, next func(context.Context, string) ([]netip.Addr, error)) func(context.Context, string) ([]netip.Addr, error) {
	return func(ctx context.Context, name string) ([]netip.Addr, error) {
		list, err := r.find(ctx, name, kind)
		var failure *net.DNSError
		if next != nil && errors.As(err, &failure) && !failure.IsNotFound && ctx.Err() == nil {
			return next(ctx, name)
		}
		return list, err
	}
}

func (r Resolver) find(ctx context.Context, name string, kind uint16) ([]netip.Addr, error) {
	answer, err := r(ctx, query(name, kind))
	switch {
	case err != nil:
		return nil, &net.DNSError{Err: err.Error(), Name: name, IsTemporary: true, UnwrapErr: err}
	case answer.Rcode != dns.RcodeSuccess && answer.Rcode != dns.RcodeNameError:
		return nil, &net.DNSError{Err: "the resolver answers " + dns.RcodeToString[answer.Rcode], Name: name, IsTemporary: true}
	}
	if list := filterAddresses(answer.Answer, kind); len(list) > 0 {
		return list, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// newConfiguredResolver reads the resolvers from a file in the format of resolv.conf at each query.
func newConfiguredResolver(dial func(ctx context.Context, network, address string) (net.Conn, error), file string) Resolver {
	return func(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
		config, err := dns.ClientConfigFromFile(file)
		if err != nil {
			return nil, fmt.Errorf("find the resolvers of this machine: %w", err)
		}
		servers := make([]string, len(config.Servers))
		for i, server := range config.Servers {
			servers[i] = net.JoinHostPort(server, config.Port)
		}
		return NewResolver(dial, servers...)(ctx, question)
	}
}

func getFaultKind(ctx context.Context) fault.Kind {
	if err := ctx.Err(); err != nil {
		return fault.KindOf(err)
	}
	return fault.Transient
}
