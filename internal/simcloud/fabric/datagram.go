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
