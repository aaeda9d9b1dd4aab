package probe

import (
	"context"
	"net"
	"net/netip"

	"exoshift/wizard/reach"
)

// recordSource keeps the address that a connection leaves this machine by: firewalls know the machine by it.
func (a *attempt) recordSource(conn net.Conn) {
	local, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil || local.Addr().IsLoopback() || local.Addr().IsUnspecified() {
		return
	}
	a.record(reach.EvidenceSource, local.Addr().Unmap().WithZone("").String())
}

// recordRoute keeps the address that this machine would leave by, where no connection was made. A connection by UDP sends
// nothing; it only asks the machine for its route.
func (a *attempt) recordRoute(ctx context.Context) {
	conn, err := a.prober.network.Dial(ctx, "udp", net.JoinHostPort(a.addresses[0].String(), a.target.port))
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	a.recordSource(conn)
}
