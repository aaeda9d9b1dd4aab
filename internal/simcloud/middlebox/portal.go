package middlebox

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
)

// Portal responds in place of every server: to HTTP with a redirect to its own page, to TLS with the certificate of its own
// name.
type Portal struct {
	Name string // of its page
	TLS  *tls.Config
}

// Serve serves until the listener is closed.
func (p Portal) Serve(l net.Listener) error {
	return serveEach(l, func(_ context.Context, c net.Conn) {
		conn, secure, err := peek(c)
		switch {
		case err != nil:
		case secure:
			serveHTTP(tls.Server(conn, p.TLS), p)
		default:
			serveHTTP(conn, p)
		}
	})
}

func (p Portal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Host != p.Name {
		http.Redirect(w, r, "http://"+p.Name+"/login?url=http%3A%2F%2F"+r.Host, http.StatusFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = fmt.Fprint(w, "<html><head><title>Welcome</title></head><body><form method=\"post\">Accept the terms to use this network.</form></body></html>\n") // closed by the client
}
