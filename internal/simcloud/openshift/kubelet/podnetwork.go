package kubelet

import (
	"context"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/machine"
)

// pluginMachine is a machine whose network plugin, once it runs, routes the pod and the service network locally: any other host
// with such an address becomes unreachable.
type pluginMachine struct {
	machine.Machine
	online           *atomic.Bool
	reservedNetworks func() []netip.Prefix // the pod and the service networks
	clock            network.Clock
}

// lostPacket is how long a connection to such an address blocks before it times out.
const lostPacket = 30 * time.Second

func (p pluginMachine) Network() network.Network {
	outside := p.Machine.Network()
	dial := outside.Dial
	outside.Dial = func(ctx context.Context, proto, address string) (net.Conn, error) {
		if p.online.Load() && p.isBlocked(ctx, outside, address) {
			if err := p.clock.Sleep(ctx, lostPacket); err != nil {
				return nil, &net.OpError{Op: "dial", Net: proto, Err: err}
			}
			return nil, &net.OpError{Op: "dial", Net: proto, Err: os.ErrDeadlineExceeded}
		}
		return dial(ctx, proto, address)
	}
	return outside
}

func (p pluginMachine) isBlocked(ctx context.Context, outside network.Network, address string) bool {
	taken := p.reservedNetworks()
	host, _, err := net.SplitHostPort(address)
	if err != nil || len(taken) == 0 {
		return false
	}
	addresses := []netip.Addr{}
	if literal, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, literal)
	} else if addresses, err = outside.Lookup(ctx, host); err != nil {
		return false // the dial returns the error
	}
	free := func(a netip.Addr) bool {
		return !slices.ContainsFunc(taken, func(prefix netip.Prefix) bool { return prefix.Contains(a) })
	}
	return len(addresses) > 0 && !slices.ContainsFunc(addresses, free)
}
