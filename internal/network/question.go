package network

import (
	"context"
	"fmt"
	"strings"

	"github.com/miekg/dns"

	"exoshift/internal/fault"
)

// Question is put to one name server.
type Question struct {
	Server    string // "host:port"
	Transport string // udp or tcp
	Name      string
	Type      string // e.g. A, AAAA, NS or SOA
	Recurse   bool   // whether the server shall ask others
}

// Answer is what a name server said.
type Answer struct {
	Code          string   // e.g. NOERROR, NXDOMAIN, SERVFAIL or REFUSED
	Authoritative bool     // the server serves the zone itself
	Recursive     bool     // the server asks others
	Truncated     bool     // there is more over TCP
	Values        []string // of the records of that type, without their names and TTLs, e.g. an address
}

// Ask puts a question to one name server, by one transport and through no proxy. An error means that there was no
// answer; it keeps what the network said.
func (n Network) Ask(ctx context.Context, q Question) (Answer, error) {
	op := "ask " + q.Server + " by " + q.Transport
	kind, known := dns.StringToType[q.Type]
	if _, valid := dns.IsDomainName(q.Name); !known || !valid {
		return Answer{}, fault.Newf(fault.Invalid, op, "%q is no name, or %q no type of a record", q.Name, q.Type)
	}
	conn, err := n.Dial(ctx, q.Transport, q.Server)
	if err != nil {
		return Answer{}, fault.New(kindOf(ctx), op, err)
	}
	message := query(q.Name, kind)
	message.RecursionDesired = q.Recurse
	reply, err := exchange(ctx, conn, message)
	if err != nil {
		return Answer{}, fault.New(kindOf(ctx), op, err)
	}
	return answerOf(reply, kind), nil
}

func answerOf(reply *dns.Msg, kind uint16) Answer {
	code, known := dns.RcodeToString[reply.Rcode]
	if !known {
		code = fmt.Sprintf("code %d", reply.Rcode)
	}
	answer := Answer{Code: code, Authoritative: reply.Authoritative, Recursive: reply.RecursionAvailable, Truncated: reply.Truncated}
	for _, rr := range reply.Answer {
		if rr.Header().Rrtype == kind {
			answer.Values = append(answer.Values, strings.TrimPrefix(rr.String(), rr.Header().String()))
		}
	}
	return answer
}
