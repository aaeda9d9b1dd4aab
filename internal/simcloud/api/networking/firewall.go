package networking

import (
	"net/netip"
	"slices"
)

// Firewall is the rules of all security groups, compiled for fast lookups.
type Firewall struct {
	members map[netip.Addr][]string // the groups of an instance
	groups  map[string]compiledGroup
}

type compiledGroup struct{ ingress, egress []firewallRule }

// firewallRule allows a protocol and a port range for a peer: a network, or the members of a group.
type firewallRule struct {
	protocol    string
	first, last int // 0 to 0 for protocols without ports
	networks    []netip.Prefix
	group       string
}

// Allows reports whether the security groups allow a packet of proto ("tcp", "udp", "icmp", …) from one address to a port of
// another. Addresses that belong to no instance are not filtered.
func (f *Firewall) Allows(from, to netip.Addr, proto string, port int) bool {
	return f.isEgressAllowed(from, to, proto, port) && f.isIngressAllowed(from, to, proto, port)
}

// isEgressAllowed allows everything until one of the instance's groups has an egress rule.
func (f *Firewall) isEgressAllowed(from, to netip.Addr, proto string, port int) bool {
	filtered := false
	for _, id := range f.members[from] {
		rules := f.groups[id].egress
		filtered = filtered || len(rules) > 0
		if f.matchRules(rules, to, proto, port) {
			return true
		}
	}
	return !filtered
}

func (f *Firewall) isIngressAllowed(from, to netip.Addr, proto string, port int) bool {
	groups, filtered := f.members[to]
	return !filtered || slices.ContainsFunc(groups, func(id string) bool {
		return f.matchRules(f.groups[id].ingress, from, proto, port)
	})
}

func (f *Firewall) matchRules(passages []firewallRule, peer netip.Addr, proto string, port int) bool {
	return slices.ContainsFunc(passages, func(p firewallRule) bool {
		if p.protocol != proto || p.last != 0 && (port < p.first || port > p.last) {
			return false
		}
		return p.group != "" && slices.Contains(f.members[peer], p.group) ||
			slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(peer) })
	})
}

// Compile returns the firewall of this moment.
func (s *SecurityGroups) Compile() *Firewall {
	compiled := &Firewall{
		members: make(map[netip.Addr][]string, s.tables.Instances.Len()),
		groups:  make(map[string]compiledGroup, s.table.Len()),
	}
	for _, group := range s.table.All() {
		compiled.groups[group.ID] = s.compileGroup(group)
	}
	for _, i := range s.tables.Instances.All() {
		if i.Address.IsValid() {
			compiled.members[i.Address] = i.Groups
		}
	}
	return compiled
}

func (s *SecurityGroups) compileGroup(group securityGroup) compiledGroup {
	var compiled compiledGroup
	for _, rule := range group.Wire.Rules {
		if rule.Direction == "egress" {
			compiled.egress = append(compiled.egress, s.compileRule(rule))
		} else {
			compiled.ingress = append(compiled.ingress, s.compileRule(rule))
		}
	}
	return compiled
}

// compileRule resolves a group to its members and its external sources.
func (s *SecurityGroups) compileRule(rule wireRule) firewallRule {
	p := firewallRule{protocol: rule.Protocol, first: int(rule.StartPort), last: int(rule.EndPort)}
	sources := []string{rule.Network}
	if rule.Group != nil {
		group, _ := s.table.Lookup(rule.Group.ID)
		p.group, sources = rule.Group.ID, group.Wire.ExternalSources
	}
	for _, source := range sources {
		if network, err := netip.ParsePrefix(source); err == nil {
			p.networks = append(p.networks, network)
		}
	}
	return p
}
