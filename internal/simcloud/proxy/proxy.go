// Package proxy is the door of a simulated zone for programs that know nothing of it: an HTTP proxy whose connections
// lead to the simulated internet.
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

// Serve answers clients of l until ctx ends, then closes l and every connection that it carries. It returns nil when
// it was ended by ctx.
func Serve(ctx context.Context, l net.Listener, world network.Network) error {
	return ServeMembers(ctx, l, world, nil)
}

// ServeMembers is Serve for those only who tell a name and a password; nil is for everybody.
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

// discardLogger drops what net/http says about clients that go away.
func discardLogger() *log.Logger { return log.New(io.Discard, "", 0) }

// proxy tunnels and forwards.
type proxy struct {
	network network.Network
	account *url.Userinfo // of those who may; nil: everybody may
	tunnels *tunnels
	forward *httputil.ReverseProxy
}

func newProxy(ctx context.Context, world network.Network) *proxy {
	world.Proxy = nil // the simulated internet is reached directly
	return &proxy{
		network: world,
		tunnels: newTunnels(ctx),
		forward: &httputil.ReverseProxy{
			Rewrite:       func(*httputil.ProxyRequest) {}, // the request says where it goes
			Transport:     world.NewTransport(),
			ErrorLog:      discardLogger(),
			FlushInterval: -1, // a watch is told as it happens
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
		http.Error(w, "This proxy wants to know who you are.", http.StatusProxyAuthRequired)
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward.ServeHTTP(w, r)
	default:
		http.Error(w, "This is the HTTP proxy of a simulated Exoscale zone. Set HTTPS_PROXY to its address, and ask for a name of the internet.",
			http.StatusBadRequest)
	}
}

// isAuthorized tells whether somebody may use the proxy.
func (p *proxy) isAuthorized(r *http.Request) bool {
	if p.account == nil {
		return true
	}
	password, _ := p.account.Password()
	asked := http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
	user, given, told := asked.BasicAuth()
	return told && user == p.account.Username() && given == password
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

// writeError tells why nobody was reached.
func writeError(w http.ResponseWriter, host string, err error) {
	status := http.StatusBadGateway
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		status = http.StatusGatewayTimeout
	}
	http.Error(w, "The simulated internet has no way to "+host+": "+err.Error(), status)
}
