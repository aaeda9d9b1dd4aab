package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"exoshift/internal/simcloud/certificate"
)

// gate is a proxy in front of an API server, which tells it who asks by what Kubernetes has for such proxies. A test
// acts between two requests there, and knows what was asked for.
type gate struct {
	port string

	mu     sync.Mutex
	before func(*http.Request)
	asked  []string
}

// gate opens a gate in front of the API server.
func (p *plane) gate(t *testing.T) *gate {
	t.Helper()
	target, err := url.Parse(local(p.apiPort))
	must(t, err)
	known := x509.NewCertPool()
	known.AddCert(p.authority.Certificate)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			introduce(r)
		},
		Transport: &http.Transport{TLSClientConfig: &tls.Config{
			RootCAs: known, Certificates: []tls.Certificate{keyPair(p.front)}, MinVersion: tls.VersionTLS12,
		}},
		ErrorLog: log.New(io.Discard, "", 0),
		// Who is cut off from the API server is cut off from its clients.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	g := &gate{}
	listener, err := tls.Listen("tcp4", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{keyPair(issueServer(t, p.authority))},
		ClientCAs:    known, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12,
	})
	must(t, err)
	_, g.port, _ = net.SplitHostPort(listener.Addr().String())
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.note(r)
		proxy.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return g
}

// introduce replaces what a client says about itself by what its certificate says.
func introduce(r *httputil.ProxyRequest) {
	r.Out.Header.Del("X-Remote-User")
	r.Out.Header.Del("X-Remote-Group")
	if r.In.TLS == nil || len(r.In.TLS.PeerCertificates) == 0 {
		return
	}
	subject := r.In.TLS.PeerCertificates[0].Subject
	r.Out.Header.Set("X-Remote-User", subject.CommonName)
	for _, group := range subject.Organization {
		r.Out.Header.Add("X-Remote-Group", group)
	}
}

func keyPair(pair certificate.Pair) tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{pair.Certificate.Raw}, PrivateKey: pair.Key}
}

func (g *gate) note(r *http.Request) {
	g.mu.Lock()
	g.asked = append(g.asked, r.Method+" "+r.URL.RequestURI())
	before := g.before
	g.mu.Unlock()
	if before != nil {
		before(r)
	}
}

// interfere calls act before each request is passed on; nil ends that.
func (g *gate) interfere(act func(*http.Request)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.before = act
}

// requests returns what was asked for since the last call, in order.
func (g *gate) requests() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked := g.asked
	g.asked = nil
	return asked
}
