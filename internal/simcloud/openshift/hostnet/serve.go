// Package hostnet is what programs on a machine do with its network: they serve on its ports, and check those of others.
package hostnet

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"exoshift/internal/simcloud/machine"
)

// ListenAndServe serves on a port of a machine until ctx ends, and cancels its requests then; without a TLS configuration it serves
// plain HTTP.
func ListenAndServe(ctx context.Context, m machine.Machine, port int, config *tls.Config, handler http.Handler) error {
	listener, err := m.Listen(port)
	if err != nil {
		return err
	}
	return Serve(ctx, listener, config, handler)
}

// Serve is ListenAndServe on a listener.
func Serve(ctx context.Context, listener net.Listener, config *tls.Config, handler http.Handler) error {
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

// CheckPort connects from a machine to a port of a host, within timeout, in wall-clock time.
func CheckPort(ctx context.Context, timeout time.Duration, from machine.Machine, host string, port int) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := from.Network().Dial(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return conn.Close()
}
