package server

import (
	"context"
	"io"
	"net"

	"exoshift/internal/simcloud/fabric"
)

// Listener is a TCP port with a serve function of its own.
type Listener struct {
	Port  int // 0: every port that the site does not open otherwise
	Serve func(ctx context.Context, host *fabric.Host, l net.Listener) error
}

// cancelCloser is a server that ends with its context.
type cancelCloser struct {
	io.Closer
	cancel context.CancelFunc
}

func (e cancelCloser) Close() error {
	e.cancel()
	return e.Closer.Close()
}

func (p Listener) open(s *Servers, _ Site, host *fabric.Host) error {
	listen := func() (net.Listener, error) { return host.Listen(p.Port) }
	if p.Port == 0 {
		listen = host.ListenAll
	}
	l, err := listen()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.run(cancelCloser{l, cancel}, func() error { return p.Serve(ctx, host, l) })
	return nil
}
