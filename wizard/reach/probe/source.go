package probe

import (
	"context"
	"net"
	"net/netip"

	"exoshift/wizard/reach"
)

func (a *attempt) recordSource(conn net.Conn) {
	local, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil || local.Addr().IsLoopback() || local.Addr().IsUnspecified() {
		return
	}
	a.record(reach.EvidenceSource, local.Addr().Unmap().WithZone("").String())
}

// recordRoute records the local address where no connection was made: a UDP connection sends nothing, but selects a
// route.
func (a *attempt) recordRoute(ctx context.Context) {
	conn, err := a.prober.network.Dial(ctx, "udp", net.JoinHostPort(a.addresses[0].String(), a.target.port))
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	a.recordSource(conn)
}
