package server

import (
	"encoding/binary"
	"net"
	"net/netip"
	"time"

	"exoshift/internal/simcloud/fabric"
)

// NTP serves the time at port 123, by the wall clock (RFC 5905).
type NTP struct{}

const (
	ntpPort  = 123
	ntpSize  = 48
	ntpEpoch = 2208988800 // seconds from 1900 to 1970
)

func (NTP) open(s *Servers, _ Site, host *fabric.Host) error {
	c, err := host.ListenPacket(ntpPort)
	if err != nil {
		return err
	}
	s.run(c, func() error { return s.serveTime(c) })
	return nil
}

func (s *Servers) serveTime(c net.PacketConn) error {
	buffer := make([]byte, 1024)
	for {
		n, from, err := c.ReadFrom(buffer)
		if err != nil {
			return err
		}
		asker, known := from.(*net.UDPAddr)
		if !known || n < ntpSize || buffer[0]&7 != 3 { // only client requests have a response
			continue
		}
		now := s.config.Now(asker.AddrPort().Addr().Unmap())
		_, _ = c.WriteTo(buildNTPReply(buffer[:ntpSize], now), from) // the client closed the connection
	}
}

// buildNTPReply returns the response of a server of stratum 2, with equal receive and transmit times.
func buildNTPReply(question []byte, now time.Time) []byte {
	answer := make([]byte, ntpSize)
	answer[0] = question[0]&0x38 | 4 // the version of the client; mode: server
	answer[1] = 2                    // stratum
	answer[2] = question[2]          // poll interval
	answer[3] = 0xe9                 // precision: 2^-23 s
	binary.BigEndian.PutUint32(answer[4:], 0x0100)
	binary.BigEndian.PutUint32(answer[8:], 0x0200)
	reference := netip.AddrFrom4([4]byte{192, 0, 2, 123}).As4() // its server of stratum 1
	copy(answer[12:], reference[:])
	binary.BigEndian.PutUint64(answer[16:], toNTPTime(now.Add(-17*time.Second)))
	copy(answer[24:32], question[40:48]) // when the client sent
	binary.BigEndian.PutUint64(answer[32:], toNTPTime(now))
	binary.BigEndian.PutUint64(answer[40:], toNTPTime(now))
	return answer
}

func toNTPTime(t time.Time) uint64 {
	seconds := uint64(t.Unix() + ntpEpoch)
	return seconds<<32 | uint64(t.Nanosecond())<<32/uint64(time.Second)
}
