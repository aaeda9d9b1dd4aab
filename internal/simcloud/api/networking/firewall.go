package api

import (
	"net/netip"
	"slices"
)

// firewall compiles the rules of all security groups for fast lookups.
type firewall struct {
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
func (a *API) Allows(from, to netip.Addr, proto string, port int) bool {
	rules := a.firewall.Load()
	if rules == nil {
		rules = a.compile()
	}
	return rules.isEgressAllowed(from, to, proto, port) && rules.isIngressAllowed(from, to, proto, port)
}

// isEgressAllowed allows everything until one of the instance's groups has an egress rule.
func (f *firewall) isEgressAllowed(from, to netip.Addr, proto string, port int) bool {
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

func (f *firewall) isIngressAllowed(from, to netip.Addr, proto string, port int) bool {
	groups, filtered := f.members[to]
	return !filtered || slices.ContainsFunc(groups, func(id string) bool {
		return f.matchRules(f.groups[id].ingress, from, proto, port)
	})
}

func (f *firewall) matchRules(passages []firewallRule, peer netip.Addr, proto string, port int) bool {
	return slices.ContainsFunc(passages, func(p firewallRule) bool {
		if p.protocol != proto || p.last != 0 && (port < p.first || port > p.last) {
			return false
		}
		return p.group != "" && slices.Contains(f.members[peer], p.group) ||
			slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(peer) })
	})
}

// compile holds the lock: a change meanwhile waits for it and then invalidates the result.
func (a *API) compile() *firewall {
	a.mu.Lock()
	defer a.mu.Unlock()
	compiled := &firewall{
		members: make(map[netip.Addr][]string, a.tables.instances.count()),
		groups:  make(map[string]compiledGroup, a.tables.groups.count()),
	}
	for _, group := range a.tables.groups.listAll() {
		compiled.groups[group.ID] = a.compileGroup(group)
	}
	for _, i := range a.tables.instances.listAll() {
		if i.Address.IsValid() {
			compiled.members[i.Address] = i.Groups
		}
	}
	a.firewall.Store(compiled)
	return compiled
}

func (a *API) compileGroup(group securityGroup) compiledGroup {
	var compiled compiledGroup
	for _, rule := range group.Wire.Rules {
		if rule.Direction == "egress" {
			compiled.egress = append(compiled.egress, a.compileRule(rule))
		} else {
			compiled.ingress = append(compiled.ingress, a.compileRule(rule))
		}
	}
	return compiled
}

// compileRule resolves a group to its members and its external sources.
func (a *API) compileRule(rule wireRule) firewallRule {
	p := firewallRule{protocol: rule.Protocol, first: int(rule.StartPort), last: int(rule.EndPort)}
	sources := []string{rule.Network}
	if rule.Group != nil {
		group, _ := a.tables.groups.table.Get(rule.Group.ID)
		p.group, sources = rule.Group.ID, group.Wire.ExternalSources
	}
	for _, source := range sources {
		if network, err := netip.ParsePrefix(source); err == nil {
			p.networks = append(p.networks, network)
		}
	}
	return p
}
