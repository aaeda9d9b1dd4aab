package names

import (
	"github.com/miekg/dns"
)

// Server is authoritative for its zones, and refuses all others.
type Server struct {
	// zone returns the zone that contains the answer.
	zone func(name, kind string) (Zone, bool)
}

// Answer returns the zone's response, or a referral to the servers of a delegated name; names of other zones are refused.
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

func (z Zone) buildReferral(cut string) []dns.RR {
	records, _ := z.find(cut, "NS")
	return toResourceRecords(records)
}

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
