package names

import (
	"github.com/miekg/dns"
)

// Server answers for the zones it holds, and for no other.
type Server struct {
	// zone returns the zone that answers a question.
	zone func(name, kind string) (Zone, bool)
}

// Answer returns what the zone says, or the servers to which it delegates the name; questions for names of other zones
// are refused.
func (s Server) Answer(question *dns.Msg) *dns.Msg {
	reply := new(dns.Msg).SetReply(question)
	if len(question.Question) != 1 {
		reply.Rcode = dns.RcodeFormatError
		return reply
	}
	name, kind := toCanonical(question.Question[0].Name), dns.TypeToString[question.Question[0].Qtype]
	zone, ok := s.zone(name, kind)
	if !ok {
		reply.Rcode = dns.RcodeRefused
		return reply
	}
	if cut, delegated := zone.findDelegation(name); delegated {
		reply.Ns = zone.buildReferral(cut.Zone)
		return reply
	}
	zone.writeAnswer(reply, name, kind)
	return reply
}

// buildReferral returns the NS records of a zone below this one.
func (z Zone) buildReferral(cut string) []dns.RR {
	records, _ := z.find(cut, "NS")
	return toResourceRecords(records)
}

// writeAnswer writes what the zone says with authority.
func (z Zone) writeAnswer(reply *dns.Msg, name, kind string) {
	reply.Authoritative = true
	answer, exists := z.followAliases(name, kind)
	reply.Answer = answer
	if len(reply.Answer) == 0 {
		soa, _ := z.buildNegative()
		reply.Ns = toResourceRecords([]Record{soa})
	}
	if !exists {
		reply.Rcode = dns.RcodeNameError
	}
}

// followAliases follows aliases as long as they stay in the zone.
func (z Zone) followAliases(name, kind string) (answer []dns.RR, exists bool) {
	for range maxAliases {
		records, found := z.find(name, kind)
		exists = exists || found
		answer = append(answer, toResourceRecords(records)...)
		if len(records) == 0 || records[0].Type != "CNAME" || kind == "CNAME" {
			break
		}
		if name = toCanonical(records[0].Content); !isWithin(name, z.Name) {
			break
		}
	}
	return answer, exists
}
