package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/miekg/dns"
)

// Question is what is put to one name server.
type Question struct {
	Name      string // without the dot at its end
	Type      string // "A", "NS" or "SOA"
	Recursive bool   // the server is asked to find out what it does not know
}

// Response is what one name server says to a question.
type Response struct {
	Code          string // e.g. "NOERROR", "NXDOMAIN" or "REFUSED"
	Authoritative bool   // it serves the zone itself
	Recursive     bool   // it finds out what it does not know
	Truncated     bool   // the answer is larger than fits
	Addresses     []netip.Addr
	Servers       []string // of the zone that was asked about: sorted, in lower case, without the dot
	Serial        uint32   // of the zone that was asked about, if it has an SOA record
	HasSOA        bool
}

// Query asks a name server on a connection of its own, and closes it. A reply with an error code is no error.
func Query(ctx context.Context, conn net.Conn, question Question) (Response, error) {
	kind, ok := dns.StringToType[question.Type]
	if _, valid := dns.IsDomainName(question.Name); !ok || !valid {
		_ = conn.Close()
		return Response{}, fmt.Errorf("ask for the %.20s record of %.80q: no such question", question.Type, question.Name)
	}
	message := newQuestion(question.Name, kind)
	message.RecursionDesired = question.Recursive
	answer, err := exchange(ctx, conn, message)
	if err != nil {
		return Response{}, err
	}
	return reply(answer, normalizeName(question.Name)), nil
}

func reply(answer *dns.Msg, zone string) Response {
	r := Response{
		Code: dns.RcodeToString[answer.Rcode], Authoritative: answer.Authoritative, Recursive: answer.RecursionAvailable,
		Truncated: answer.Truncated, Addresses: extractAddresses(answer), Servers: extractServers(answer.Answer, zone),
	}
	if r.Code == "" {
		r.Code = fmt.Sprintf("code %d", answer.Rcode)
	}
	for _, rr := range answer.Answer {
		if soa, ok := rr.(*dns.SOA); ok && normalizeName(soa.Hdr.Name) == zone {
			r.Serial, r.HasSOA = soa.Serial, true
		}
	}
	return r
}
