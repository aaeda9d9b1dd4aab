package fabric

import (
	"net/netip"
)

const (
	// maxDatagram is the most that one UDP datagram carries over IPv4, in bytes.
	maxDatagram = 65507
	// maxQueued is how many datagrams wait to be read; what comes then is lost, as with a full socket buffer.
	maxQueued = 128
	// maxFlows is how many peers a socket remembers.
	maxFlows = 1024
)

// datagram is what arrived from a peer.
type datagram struct {
	from    netip.AddrPort
	content []byte
}

// send brings a datagram to whoever listens there. Nobody is told of what is lost; a closed port of a host that is up
// tells so itself, and unreachable is true.
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
		return false // an answer passes without a rule: security groups remember who was asked
	case !open:
		return true
	}
	receiver.enqueue(datagram{from: source, content: content}, to.Addr())
	return false
}
