//go:build linux || darwin

package network

import (
	"context"
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// smallSegment is the size of TCP segments, in bytes, that every network carries (RFC 9293, 3.7.1).
const smallSegment = 536

func newSmallDial(dialer net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	dialer.Control = func(_, _ string, conn syscall.RawConn) error {
		var refused error
		err := conn.Control(func(fd uintptr) {
			refused = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, smallSegment)
		})
		return errors.Join(err, refused)
	}
	return dialer.DialContext
}
