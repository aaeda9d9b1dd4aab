package names

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/miekg/dns"
)

// Serve answers DNS messages on a TCP listener until it is closed, with authority over all zones.
func (d *Directory) Serve(l net.Listener) error {
	server := &dns.Server{Listener: l, Net: "tcp", Handler: dns.HandlerFunc(d.reply)}
	return server.ActivateAndServe()
}

func (d *Directory) reply(w dns.ResponseWriter, question *dns.Msg) {
	_ = w.WriteMsg(d.Answer(question)) // the client went away
}

// Answer returns an authoritative answer; questions for names of other zones are refused.
func (d *Directory) Answer(question *dns.Msg) *dns.Msg {
	reply := new(dns.Msg).SetReply(question)
	if len(question.Question) != 1 {
		reply.Rcode = dns.RcodeFormatError
		return reply
	}
	asked := question.Question[0]
	zone, ok := d.zone(canonical(asked.Name))
	if !ok {
		reply.Rcode = dns.RcodeRefused
		return reply
	}
	reply.Authoritative = true
	answer, exists := d.chase(zone, canonical(asked.Name), dns.TypeToString[asked.Qtype])
	reply.Answer = answer
	if len(reply.Answer) == 0 {
		reply.Ns = resourceRecords(zone.records(zone.Name, "SOA"))
	}
	if !exists {
		reply.Rcode = dns.RcodeNameError
	}
	return reply
}

// chase follows aliases as long as they stay in the zone.
func (d *Directory) chase(zone Zone, name, kind string) (answer []dns.RR, exists bool) {
	for range maxAliases {
		records, found := zone.find(name, kind)
		exists = exists || found
		answer = append(answer, resourceRecords(records)...)
		if len(records) == 0 || records[0].Type != "CNAME" || kind == "CNAME" {
			break
		}
		if name = canonical(records[0].Content); !within(name, zone.Name) {
			break
		}
	}
	return answer, exists
}

func (z Zone) records(name, kind string) []Record {
	records, _ := z.find(name, kind)
	return records
}

// resourceRecords leaves out what DNS cannot say, such as Exoscale's URL records.
func resourceRecords(records []Record) []dns.RR {
	var list []dns.RR
	for _, r := range records {
		if rr, err := dns.NewRR(r.line()); err == nil && rr != nil {
			list = append(list, rr)
		}
	}
	return list
}

// line returns the record as a line of a zone file.
func (r Record) line() string {
	content := r.Content
	switch r.Type {
	case "CNAME", "NS":
		content = dns.Fqdn(content)
	case "MX", "SRV":
		content = strconv.Itoa(r.Priority) + " " + dns.Fqdn(content)
	case "TXT":
		if !strings.HasPrefix(content, `"`) {
			content = strconv.Quote(content)
		}
	}
	return fmt.Sprintf("%s %d IN %s %s", dns.Fqdn(r.Name), r.TTL, r.Type, content)
}
