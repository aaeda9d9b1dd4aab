package network

import (
	"context"
	"errors"
	"net"
	"net/url"

	socks "golang.org/x/net/proxy"
)

// IsSOCKS reports whether a proxy uses SOCKS5.
func IsSOCKS(proxy *url.URL) bool { return proxy.Scheme == "socks5" || proxy.Scheme == "socks5h" }

func (n Network) connectSOCKS(ctx context.Context, server *url.URL, address string) (net.Conn, error) {
	var login *socks.Auth
	if server.User != nil {
		password, _ := server.User.Password()
		login = &socks.Auth{User: server.User.Username(), Password: password}
	}
	dialer, err := socks.SOCKS5("tcp", FormatProxyAddress(server), login, forward(n.Dial))
	if err != nil {
		return nil, &ProxyError{Proxy: FormatProxyAddress(server), Err: err}
	}
	able, ok := dialer.(socks.ContextDialer)
	if !ok {
		return nil, &ProxyError{Proxy: FormatProxyAddress(server), Err: errors.ErrUnsupported}
	}
	conn, err := able.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, &ProxyError{Proxy: FormatProxyAddress(server), Err: err}
	}
	return conn, nil
}

// forward dials the proxy itself.
type forward func(ctx context.Context, network, address string) (net.Conn, error)

func (f forward) Dial(network, address string) (net.Conn, error) {
	return f(context.Background(), network, address)
}

func (f forward) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f(ctx, network, address)
}
