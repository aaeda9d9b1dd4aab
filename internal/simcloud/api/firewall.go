package api

import (
	"net/netip"
	"slices"
)

// firewall is what all security groups together allow, compiled for a quick answer.
type firewall struct {
	members map[netip.Addr]*member
}

// member is an instance as the firewall sees it.
type member struct {
	groups  []string
	ingress []passage
	egress  []passage // empty: everything may leave
}

// passage lets a protocol and a range of ports through for a peer: a network, or the members of a group.
type passage struct {
	protocol    string
	first, last int // 0 to 0 for protocols without ports
	networks    []netip.Prefix
	group       string
}

// Allows tells whether the security groups let a packet of proto ("tcp", "udp", "icmp", …) from one address reach a
// port of another. Addresses that belong to no instance are not filtered.
func (a *API) Allows(from, to netip.Addr, proto string, port int) bool {
	rules := a.firewall.Load()
	if rules == nil {
		rules = a.compile()
	}
	if source := rules.members[from]; source != nil && len(source.egress) > 0 {
		if !rules.passes(source.egress, to, proto, port) {
			return false
		}
	}
	target := rules.members[to]
	return target == nil || rules.passes(target.ingress, from, proto, port)
}

func (f *firewall) passes(passages []passage, peer netip.Addr, proto string, port int) bool {
	return slices.ContainsFunc(passages, func(p passage) bool {
		if p.protocol != proto || p.last != 0 && (port < p.first || port > p.last) {
			return false
		}
		member := f.members[peer]
		return member != nil && p.group != "" && slices.Contains(member.groups, p.group) ||
			slices.ContainsFunc(p.networks, func(n netip.Prefix) bool { return n.Contains(peer) })
	})
}

// compile reads the groups of all instances. A change meanwhile waits for the lock and then forgets the result.
func (a *API) compile() *firewall {
	a.mu.Lock()
	defer a.mu.Unlock()
	compiled := &firewall{members: map[netip.Addr]*member{}}
	for _, i := range a.tables.instances.all() {
		if !i.Address.IsValid() {
			continue
		}
		m := &member{groups: i.Groups}
		for _, id := range i.Groups {
			group, _ := a.tables.groups.table.Get(id)
			for _, rule := range group.Wire.Rules {
				if rule.Direction == "egress" {
					m.egress = append(m.egress, a.passage(rule))
				} else {
					m.ingress = append(m.ingress, a.passage(rule))
				}
			}
		}
		compiled.members[i.Address] = m
	}
	a.firewall.Store(compiled)
	return compiled
}

// passage compiles a rule. A group stands for its members and for its external sources.
func (a *API) passage(rule wireRule) passage {
	p := passage{protocol: rule.Protocol, first: int(rule.StartPort), last: int(rule.EndPort)}
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
