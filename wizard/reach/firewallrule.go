package reach

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"exoshift/internal/stable"
)

// FirewallRule is one line of a firewall request to the network's operators.
type FirewallRule struct {
	ID          string // of the checks, e.g. "NET-RH-001, NET-RH-002"
	Ask         Ask
	Source      string // for humans, e.g. "this workstation (192.0.2.10)" or "the nodes in the zone"
	Destination string // hosts, those of required services first: "quay.io, cdn01.quay.io"
	Port        string // e.g. "443/tcp"; "" of names
	Reason      string // what it is needed for
	Proof       string // evidence with the layer, e.g. "DNS ok, TCP FAILED, TLS -, HTTP -: no answer from 203.0.113.9"
	Owner       string // who can change it
	Must        bool   // an installation does not start without it
}

// Ask is the change that is requested.
type Ask string

// The changes that can be requested.
const (
	Allow   Ask = "allow"
	Resolve Ask = "resolve the name"
	Exempt  Ask = "exempt from TLS inspection"
	Admit   Ask = "allow through the proxy"
)

// EvidenceSource is the machine's own address towards the service. Behind NAT it is an internal one, by which the
// firewalls up to the NAT know the machine.
const EvidenceSource = "source"

// ListFirewallRules returns the rules to request after a report, those for required services first. Checks are those of
// the task. Failures that the network's operators cannot fix have no rule.
func ListFirewallRules(report Report, checks []Check) []FirewallRule {
	byID := map[string]Check{}
	for _, check := range checks {
		byID[check.ID] = check
	}
	from := indexSources(report)
	var demands []FirewallRule
	for _, r := range report.Results {
		ask := mapAsk(r)
		if ask == "" || r.Verdict != Warn && r.Verdict != Fail {
			continue
		}
		if source := from.findSource(r, byID[r.ID]); source != "" {
			demand := newFirewallRule(r, byID[r.ID], ask, source)
			demand.Proof += from.formatAddress(r, source)
			demands = mergeRule(demands, demand)
		}
	}
	stable.Sort(demands, func(a, b FirewallRule) int { return computeRank(a) - computeRank(b) })
	var merged []FirewallRule
	for _, d := range demands {
		merged = mergeHosts(merged, d)
	}
	return merged
}

// mergeHosts adds a rule, or its hosts to one of the same source and port: a firewall's operators get one row for them.
func mergeHosts(rules []FirewallRule, d FirewallRule) []FirewallRule {
	for i, same := range rules {
		if same.Ask == d.Ask && same.Source == d.Source && same.Port == d.Port && same.Owner == d.Owner {
			rules[i].ID = joinUnique(same.ID, d.ID, ", ")
			rules[i].Destination = joinUnique(same.Destination, d.Destination, ", ")
			rules[i].Reason = joinUnique(same.Reason, d.Reason, " ")
			rules[i].Must = same.Must || d.Must
			return rules
		}
	}
	return append(rules, d)
}

// mapAsk returns "" if a change of the network cannot fix the failure.
func mapAsk(r Result) Ask {
	if r.Class == NoRoute && r.Layers.DNS == LayerFail {
		return "" // no name server is reachable: this machine is in no network
	}
	_, err := netip.ParseAddr(parseHost(cmp.Or(r.Evidence[EvidenceHost], r.Target)))
	isAddress := err == nil
	switch r.Class {
	case NXDomain, ServFail, DNSRefused, SplitView:
		if isAddress {
			return "" // a resolver that answers: there is no name to resolve, and nothing to open
		}
		return Resolve
	case DNSTimeout:
		if isAddress {
			return Allow
		}
		return Resolve
	case HTTPTimeout, TLSFailure, TLSTimeout:
		if r.Layers.TCP == LayerOK && r.Evidence[EvidenceProxy] == "" {
			return "" // the port is open already
		}
		fallthrough
	case Refused, TCPTimeout, NoRoute, Prohibited, UDPTimeout, Reset:
		if r.Evidence[EvidenceProxy] != "" {
			return Admit
		}
		return Allow
	case ProxyRefused:
		return Admit
	case Untrusted:
		return Exempt
	}
	return ""
}

// Required services first, and names before the services behind them.
func computeRank(d FirewallRule) int {
	rank := 2 * slices.Index([]Ask{Resolve, Allow, Admit, Exempt}, d.Ask)
	if !d.Must {
		rank += 100
	}
	return rank
}

func newFirewallRule(r Result, check Check, ask Ask, source string) FirewallRule {
	target := cmp.Or(r.Evidence[EvidenceHost], r.Target)
	d := FirewallRule{
		ID: r.ID, Ask: ask, Source: source, Destination: parseHost(target), Reason: cmp.Or(check.Reason, check.Title),
		Proof: formatProof(r), Owner: "network", Must: r.Severity == Must,
	}
	switch ask {
	case Resolve:
		d.Owner = "dns"
	case Allow:
		d.Owner = cmp.Or(r.Owner, d.Owner)
		d.Port = formatPort(target, check, r)
	default:
		d.Port = formatPort(target, check, r)
	}
	if proxy := r.Evidence[EvidenceProxy]; ask == Admit && proxy != "" {
		d.Proof += ", through " + describeProxy(proxy)
	}
	return d
}

func formatPort(target string, check Check, r Result) string {
	transport := check.Transport()
	if r.Class == UDPTimeout && transport == "tcp" {
		transport = "udp"
	}
	return cmp.Or(parsePort(target), "443") + "/" + transport
}

func formatProof(r Result) string {
	proof := r.Layers.FormatLine() + ": " + r.Describe()
	if who := describeSource(r.Source); !strings.Contains(proof, who) {
		proof += ", from " + who
	}
	return proof
}

// mergeRule adds a rule, or its reason to an equal one.
func mergeRule(demands []FirewallRule, d FirewallRule) []FirewallRule {
	for i, same := range demands {
		if same.Ask == d.Ask && same.Source == d.Source && same.Destination == d.Destination && same.Port == d.Port {
			demands[i].ID = joinUnique(same.ID, d.ID, ", ")
			demands[i].Reason = joinUnique(same.Reason, d.Reason, " ")
			demands[i].Must = same.Must || d.Must
			return demands
		}
	}
	return append(demands, d)
}

func joinUnique(texts, text, separator string) string {
	if text == "" || strings.Contains(separator+texts+separator, separator+text+separator) {
		return texts
	}
	return texts + separator + text
}

type sourceIndex struct {
	addresses map[string]string // by source, where they are known
	inZone    map[string]bool   // IDs of the checks that ran in the zone
}

func indexSources(report Report) sourceIndex {
	all := sourceIndex{map[string]string{}, map[string]bool{}}
	for _, r := range report.Results {
		all.addresses[r.Source] = cmp.Or(all.addresses[r.Source], r.Evidence[EvidenceSource])
		all.inZone[r.ID] = all.inZone[r.ID] || r.Source == Zone && r.Verdict != Skipped
	}
	return all
}

// findSource returns the machine that needs the service, or "". If the zone checked the service itself, a failure of the
// workstation needs no rule for the nodes.
func (v sourceIndex) findSource(r Result, check Check) string {
	inZone := "the nodes in the zone"
	if len(check.From) > 0 && !slices.Contains(check.From, "nodes") && slices.Contains(check.From, "load-balancers") {
		inZone = "the load balancers in the zone"
	}
	switch {
	case r.Source == Zone:
		return inZone // the machine that ran the check is deleted, and its address with it
	case r.Source != Workstation, len(check.From) == 0, slices.Contains(check.From, "installer"):
		if address := v.getAddress(r); address != "" {
			return describeSource(r.Source) + " (" + address + ")"
		}
		return describeSource(r.Source)
	case v.inZone[r.ID]:
		return ""
	}
	return inZone
}

// The address towards that service is preferred, then one towards any.
func (v sourceIndex) getAddress(r Result) string {
	return cmp.Or(r.Evidence[EvidenceSource], v.addresses[r.Source])
}

// formatAddress returns the address that a firewall logs, unless the rule's source names it already.
func (v sourceIndex) formatAddress(r Result, source string) string {
	address := v.getAddress(r)
	if address == "" || strings.Contains(source, address) {
		return ""
	}
	return ", at " + address
}
