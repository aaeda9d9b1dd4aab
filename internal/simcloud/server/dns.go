package server

import (
	"net"

	"exoshift/internal/simcloud/fabric"
)

// DNS serves port 53, over UDP and TCP.
type DNS struct {
	Handler interface {
		Serve(l net.Listener) error
		ServePackets(c net.PacketConn) error
	}
}

func (p DNS) open(s *Servers, _ Site, host *fabric.Host) error {
	const port = 53
	c, err := host.ListenPacket(port)
	if err != nil {
		return err
	}
	s.run(c, func() error { return p.Handler.ServePackets(c) })
	l, err := host.Listen(port)
	if err != nil {
		return err
	}
	s.run(l, func() error { return p.Handler.Serve(l) })
	return nil
}
