package haproxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"time"
)

type connKey struct{}

// serveHTTP serves a frontend in mode http until its listener closes.
func serveHTTP(p port, target *backend) {
	next := newReverseProxy(target)
	server := &http.Server{
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: time.Minute,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case p.proxy.monitorURI != "" && r.URL.Path == p.proxy.monitorURI:
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, "<html><body><h1>200 OK</h1>\nService ready.\n</body></html>\n")
			case !p.proxy.serveAnswer(w, r):
				next.ServeHTTP(w, r)
			}
		}),
	}
	_ = server.Serve(p.Listener)
	_ = server.Close()
}

// newReverseProxy selects a server for each request.
func newReverseProxy(target *backend) http.Handler {
	if target == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveUnavailable(w, r, nil) })
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, ok := ctx.Value(connKey{}).(net.Conn)
		if !ok {
			return nil, errors.New("the request has no connection")
		}
		return target.dial(ctx, client.RemoteAddr(), client.LocalAddr())
	}
	return &httputil.ReverseProxy{
		Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host, r.Out.URL.Scheme, r.Out.URL.Host = r.In.Host, "http", target.proxy.name
		},
		ErrorHandler: serveUnavailable,
	}
}

func serveUnavailable(w http.ResponseWriter, _ *http.Request, _ error) {
	http.Error(w, "No server is available to handle this request.", http.StatusServiceUnavailable)
}
