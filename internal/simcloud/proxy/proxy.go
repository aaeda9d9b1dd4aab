// Package proxy is the entrance to a simulated zone for external programs: an HTTP proxy whose connections go to the simulated
// internet.
package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"exoshift/internal/network"
)

// Serve serves clients of l until ctx ends, then closes l and every tunnel. It returns nil when it was ended by ctx.
func Serve(ctx context.Context, l net.Listener, world network.Network) error {
	return ServeMembers(ctx, l, world, nil)
}

// ServeMembers is Serve with a required name and password; nil requires none.
func ServeMembers(ctx context.Context, l net.Listener, world network.Network, account *url.Userinfo) error {
	ctx, cancel := context.WithCancel(ctx)
	p := newProxy(ctx, world)
	p.account = account
	defer p.close()
	defer cancel()
	server := &http.Server{
		Handler: p, ReadHeaderTimeout: time.Minute, ErrorLog: discardLogger(),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	err := server.Serve(l)
	if ctx.Err() != nil && errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// discardLogger drops net/http's messages about closed connections.
func discardLogger() *log.Logger { return log.New(io.Discard, "", 0) }

type proxy struct {
	network network.Network
	account *url.Userinfo // required credentials; nil: none
	tunnels *tunnels
	forward *httputil.ReverseProxy
}

func newProxy(ctx context.Context, world network.Network) *proxy {
	world.Proxy = nil // the simulated internet is dialed directly
	return &proxy{
		network: world,
		tunnels: newTunnels(ctx),
		forward: &httputil.ReverseProxy{
			Rewrite:       func(*httputil.ProxyRequest) {}, // the request contains its target
			Transport:     world.NewTransport(),
			ErrorLog:      discardLogger(),
			FlushInterval: -1, // the events of a watch must not be buffered
			ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
				writeError(w, r.URL.Host, err)
			},
		},
	}
}

func (p *proxy) close() {
	p.tunnels.close()
	if idle, ok := p.forward.Transport.(*http.Transport); ok {
		idle.CloseIdleConnections()
	}
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.isAuthorized(r):
		w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
		http.Error(w, "Proxy authentication is required.", http.StatusProxyAuthRequired)
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward.ServeHTTP(w, r)
	case r.URL.Path == ClockPath:
		p.serveClock(w, r)
	default:
		http.Error(w, "This is the HTTP proxy of a simulated Exoscale zone. Set HTTPS_PROXY to its address and request a host of the internet.",
			http.StatusBadRequest)
	}
}

func (p *proxy) isAuthorized(r *http.Request) bool {
	if p.account == nil {
		return true
	}
	password, _ := p.account.Password()
	asked := http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
	user, given, known := asked.BasicAuth()
	return known && user == p.account.Username() && given == password
}

func (p *proxy) connect(w http.ResponseWriter, r *http.Request) {
	there, err := p.network.Dial(r.Context(), "tcp", r.Host)
	if err != nil {
		writeError(w, r.Host, err)
		return
	}
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = there.Close()
		writeError(w, r.Host, err)
		return
	}
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = errors.Join(here.Close(), there.Close())
		return
	}
	p.tunnels.join(here, buffered.Reader, there)
}

func writeError(w http.ResponseWriter, host string, err error) {
	status := http.StatusBadGateway
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		status = http.StatusGatewayTimeout
	}
	http.Error(w, "The simulated internet cannot reach "+host+": "+err.Error(), status)
}
