package fabric

import (
	"net/netip"
)

const (
	// maxDatagram is the most that one UDP datagram carries over IPv4, in bytes.
	maxDatagram = 65507
	// maxQueued is the size of the receive queue; further datagrams are lost, as with a full socket buffer.
	maxQueued = 128
	// maxFlows limits the peers that a socket records.
	maxFlows = 1024
)

type datagram struct {
	from    netip.AddrPort
	content []byte
}

// send delivers a datagram. A loss is silent, except that a closed port of a running host sets unreachable.
func (h *Host) send(from *socket, to netip.AddrPort, content []byte) (unreachable bool) {
	target, delivered := h.fabric.route(h.address, to.Addr(), "udp", int(to.Port()))
	if !delivered {
		return false
	}
	host, up := h.fabric.find(target)
	if !up {
		return false
	}
	source := from.getLocalAddress(to)
	receiver, open := host.findSocket(int(to.Port()))
	known := open && receiver.hasFlow(source)
	switch {
	case !known && !h.fabric.config.Allows(h.address, target, "udp", int(to.Port())):
		return false // responses need no rule: security groups are stateful
	case !open:
		return true
	}
	receiver.enqueue(datagram{from: source, content: content}, to.Addr())
	return false
}
