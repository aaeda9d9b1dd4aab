package names

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/miekg/dns"
)

// toResourceRecords omits types without a DNS representation, such as Exoscale's URL records.
func toResourceRecords(records []Record) []dns.RR {
	var list []dns.RR
	for _, r := range records {
		if rr, err := dns.NewRR(r.formatLine()); err == nil && rr != nil {
			list = append(list, rr)
		}
	}
	return list
}

func (r Record) formatLine() string {
	if r.Type == "" {
		return ""
	}
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
