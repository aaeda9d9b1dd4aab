package server

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"time"

	"exoshift/internal/simcloud/fabric"
)

// HTTPS serves a port with a certificate for the names of its site.
type HTTPS struct {
	Port    int // 0 means 443
	Handler http.Handler
	CA      *fabric.CA // nil means that of the simulated internet
}

// HTTP serves port 80.
type HTTP struct{ Handler http.Handler }

// NewWebPorts returns the usual ports of a site: HTTPS, and a redirect at port 80.
func NewWebPorts(handler http.Handler) []Port {
	return []Port{HTTPS{Handler: handler}, HTTP{Handler: http.HandlerFunc(redirectHTTPS)}}
}

func redirectHTTPS(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "https://"+r.Host+r.URL.RequestURI(), http.StatusMovedPermanently)
}

func (p HTTPS) open(s *Servers, site Site, host *fabric.Host) error {
	ca, port := s.config.CA, 443
	if p.CA != nil {
		ca = p.CA
	}
	if p.Port != 0 {
		port = p.Port
	}
	names := site.Names
	if len(names) == 0 {
		names = []string{site.Address}
	}
	config, err := ca.NewServerTLS(names...)
	if err != nil {
		return err
	}
	l, err := host.Listen(port)
	if err != nil {
		return err
	}
	s.serveWeb(tls.NewListener(l, config), p.Handler)
	return nil
}

func (p HTTP) open(s *Servers, _ Site, host *fabric.Host) error {
	l, err := host.Listen(80)
	if err != nil {
		return err
	}
	s.serveWeb(l, p.Handler)
	return nil
}

func (s *Servers) serveWeb(l net.Listener, handler http.Handler) {
	server := &http.Server{Handler: s.setDateHeader(handler), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	s.run(server, func() error { return server.Serve(l) })
}

// setDateHeader sets the Date header by the server's clock.
func (s *Servers) setDateHeader(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asker, err := netip.ParseAddrPort(r.RemoteAddr)
		if err == nil {
			w.Header().Set("Date", s.config.Now(asker.Addr()).UTC().Format(http.TimeFormat))
		}
		handler.ServeHTTP(w, r)
	})
}
