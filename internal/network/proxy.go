package network

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	socks "golang.org/x/net/proxy"
)

// Connect opens a TCP connection to "host:port": through the proxy that applies to https://host:port, or directly if there is
// none or it refuses. A proxy resolves the name itself.
func (n Network) Connect(ctx context.Context, address string) (net.Conn, error) {
	proxy, applies := n.findProxy(&url.URL{Scheme: "https", Host: address, Path: "/"})
	if !applies {
		return n.Dial(ctx, "tcp", address)
	}
	conn, refused := n.ConnectThrough(ctx, proxy, address)
	if refused == nil || ctx.Err() != nil {
		return conn, refused
	}
	conn, err := n.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, errors.Join(refused, err)
	}
	return conn, nil
}

// findProxy reports false for proxies of an unsupported scheme, too.
func (n Network) findProxy(target *url.URL) (*url.URL, bool) {
	if n.Proxy == nil {
		return nil, false
	}
	proxy, err := n.Proxy(&http.Request{Method: http.MethodGet, URL: target, Host: target.Host})
	return proxy, err == nil && proxy != nil && proxy.Scheme == "http"
}

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

// maxProxyAnswer limits the proxy's response, in bytes.
const maxProxyAnswer = 64 << 10

// ProxyError is the failure of a proxy to connect. It never contains the proxy's credentials.
type ProxyError struct {
	Proxy  string // "host:port"
	Status int    // HTTP status of its response; 0: there was none, see Err
	Err    error
}

func (e *ProxyError) Error() string { return "the proxy " + e.Proxy + ": " + e.Err.Error() }

func (e *ProxyError) Unwrap() error { return e.Err }

// FormatProxyAddress returns the "host:port" of a proxy.
func FormatProxyAddress(proxy *url.URL) string {
	port := proxy.Port()
	switch {
	case port != "":
	case proxy.Scheme == "https":
		port = "443"
	case IsSOCKS(proxy):
		port = "1080"
	default:
		port = "80"
	}
	return net.JoinHostPort(proxy.Hostname(), port)
}

// FormatProxyAuthorization returns the value of the header Proxy-Authorization, "" for a proxy without credentials.
func FormatProxyAuthorization(proxy *url.URL) string {
	if proxy.User == nil {
		return ""
	}
	password, _ := proxy.User.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(proxy.User.Username()+":"+password))
}

// ConnectThrough connects to "host:port" through an HTTP proxy (CONNECT) or a SOCKS5 proxy, which resolves the name. Failures
// are a *ProxyError.
func (n Network) ConnectThrough(ctx context.Context, proxy *url.URL, address string) (net.Conn, error) {
	if IsSOCKS(proxy) {
		return n.connectSOCKS(ctx, proxy, address)
	}
	conn, err := n.ConnectProxy(ctx, proxy)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	through, status, err := handshake(conn, FormatProxyAuthorization(proxy), address)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, &ProxyError{Proxy: FormatProxyAddress(proxy), Status: status, Err: err}
	}
	return through, nil
}

// ConnectProxy connects to an HTTP proxy, with TLS if its URL is https. Failures are a *ProxyError.
func (n Network) ConnectProxy(ctx context.Context, proxy *url.URL) (net.Conn, error) {
	address := FormatProxyAddress(proxy)
	if proxy.Scheme != "http" && proxy.Scheme != "https" {
		return nil, &ProxyError{Proxy: address, Err: fmt.Errorf("proxies of the kind %q are not supported", proxy.Scheme)}
	}
	conn, err := n.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, &ProxyError{Proxy: address, Err: err}
	}
	if proxy.Scheme == "http" {
		return conn, nil
	}
	config := n.NewTLSConfig()
	config.ServerName = proxy.Hostname()
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, &ProxyError{Proxy: address, Err: err}
	}
	return secure, nil
}

func handshake(conn net.Conn, authorization, address string) (_ net.Conn, status int, _ error) {
	if err := conn.SetDeadline(time.Now().Add(4 * responseTimeout)); err != nil {
		return nil, 0, err
	}
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if authorization != "" {
		request.Header.Set("Proxy-Authorization", authorization)
	}
	if err := request.Write(conn); err != nil {
		return nil, 0, err
	}
	limited := &io.LimitedReader{R: conn, N: maxProxyAnswer}
	reader := bufio.NewReader(limited)
	response, err := http.ReadResponse(reader, request) //nolint:bodyclose // what follows is not a body
	if err != nil && limited.N <= 0 {
		err = errors.New("its answer has no end")
	}
	if err != nil {
		return nil, 0, err
	}
	if response.StatusCode/100 != 2 {
		return nil, response.StatusCode, fmt.Errorf("it answers %s", response.Status)
	}
	limited.N = maxTunnel
	return &tunneled{Conn: conn, reader: reader}, response.StatusCode, conn.SetDeadline(time.Time{})
}

// maxTunnel lifts the limit of the response: the reader of the tunnel has its own.
const maxTunnel = 1 << 62

type tunneled struct {
	net.Conn
	reader io.Reader
}

func (t *tunneled) Read(b []byte) (int, error) { return t.reader.Read(b) }
