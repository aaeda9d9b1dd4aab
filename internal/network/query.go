package network

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/miekg/dns"
)

// Question is a query to one name server.
type Question struct {
	Name      string // without the trailing dot
	Type      string // "A", "NS" or "SOA"
	Recursive bool   // recursion desired
}

// Response is the reply of one name server.
type Response struct {
	Code          string // e.g. "NOERROR", "NXDOMAIN" or "REFUSED"
	Authoritative bool   // the AA bit
	Recursive     bool   // the RA bit
	Truncated     bool   // the TC bit
	Addresses     []netip.Addr
	Servers       []string // of the queried zone: sorted, in lower case, without the trailing dot
	Serial        uint32   // of the queried zone, if it has an SOA record
	HasSOA        bool
}

// Query sends a question on conn, and closes it. A reply with an error code is not an error.
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
