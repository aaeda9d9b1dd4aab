package openshift

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"

	"exoshift/internal/simcloud/machine"
)

// serveHTTPS serves on a port of a machine until ctx ends, and cancels its requests then; without a TLS configuration it serves
// plain HTTP.
func serveHTTPS(ctx context.Context, m machine.Machine, port int, config *tls.Config, handler http.Handler) error {
	listener, err := m.Listen(port)
	if err != nil {
		return err
	}
	return serveOn(ctx, listener, config, handler)
}

func serveOn(ctx context.Context, listener net.Listener, config *tls.Config, handler http.Handler) error {
	if config != nil {
		listener = tls.NewListener(listener, config)
	}
	server := &http.Server{
		Handler:     handler,
		BaseContext: func(net.Listener) context.Context { return ctx },
		// Health checks and clients with short timeouts abort handshakes all the time.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	_ = server.Serve(listener) // ends because the server was closed, by ctx or with the machine
	return nil
}
