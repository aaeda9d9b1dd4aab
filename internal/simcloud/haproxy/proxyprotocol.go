package haproxy

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
)

// buildProxyHeader returns the PROXY header: empty for version 0.
func buildProxyHeader(version int, client, frontend net.Addr) []byte {
	source, destination := toAddrPort(client), toAddrPort(frontend)
	switch version {
	case 1:
		return fmt.Appendf(nil, "PROXY TCP4 %s %s %d %d\r\n", source.Addr(), destination.Addr(), source.Port(), destination.Port())
	case 2:
		header := []byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c") // version 2, PROXY; TCP over IPv4; 12 bytes of addresses
		header = append(append(header, source.Addr().AsSlice()...), destination.Addr().AsSlice()...)
		header = binary.BigEndian.AppendUint16(header, source.Port())
		return binary.BigEndian.AppendUint16(header, destination.Port())
	}
	return nil
}

func toAddrPort(address net.Addr) netip.AddrPort {
	parsed, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	}
	return parsed
}
