package api_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	egoscale "github.com/exoscale/egoscale/v2"
)

func (w world) group(name string) *egoscale.SecurityGroup {
	w.Helper()
	group, err := w.client.CreateSecurityGroup(w.ctx(), zone, &egoscale.SecurityGroup{Name: &name})
	w.must(err)
	return group
}

func tcp(from, to uint16, change func(*egoscale.SecurityGroupRule)) *egoscale.SecurityGroupRule {
	rule := &egoscale.SecurityGroupRule{
		FlowDirection: ptr("ingress"), Protocol: ptr("tcp"), StartPort: &from, EndPort: &to,
	}
	change(rule)
	return rule
}

func cidr(text string) func(*egoscale.SecurityGroupRule) {
	return func(rule *egoscale.SecurityGroupRule) { _, rule.Network, _ = net.ParseCIDR(text) }
}

func members(group *egoscale.SecurityGroup) func(*egoscale.SecurityGroupRule) {
	return func(rule *egoscale.SecurityGroupRule) { rule.SecurityGroupID = group.ID }
}

// machine creates an instance with the groups and returns its address.
func (w world) machine(name string, groups ...*egoscale.SecurityGroup) (*egoscale.Instance, netip.Addr) {
	w.Helper()
	var ids []string
	for _, group := range groups {
		ids = append(ids, *group.ID)
	}
	i, err := w.instance(name, func(i *egoscale.Instance) {
		if len(ids) > 0 {
			i.SecurityGroupIDs = &ids
		}
	})
	w.must(err)
	return i, netip.MustParseAddr(i.PublicIPAddress.String())
}

func TestSecurityGroup_Reachability(t *testing.T) {
	inBubble(t, nil, func(w world) {
		servers, clients := w.group("servers"), w.group("clients")
		rule, err := w.client.CreateSecurityGroupRule(w.ctx(), zone, servers, tcp(6443, 6444, cidr("192.0.2.0/24")))
		w.must(err)
		_, err = w.client.CreateSecurityGroupRule(w.ctx(), zone, servers, tcp(22623, 22623, members(clients)))
		w.must(err)
		w.must(w.client.AddExternalSourceToSecurityGroup(w.ctx(), zone, clients, "203.0.113.0/24"))
		_, server := w.machine("server", servers)
		_, client := w.machine("client", clients)
		_, plain := w.machine("plain")
		inside, outside := netip.MustParseAddr("192.0.2.9"), netip.MustParseAddr("198.51.100.1")

		allow := func(from, to netip.Addr, proto string, port int, want bool) {
			t.Helper()
			if got := w.api.Allows(from, to, proto, port); got != want {
				t.Errorf("from %v to %v %s/%d: %v", from, to, proto, port, got)
			}
		}
		allow(inside, server, "tcp", 6443, true)
		allow(inside, server, "tcp", 6444, true)
		allow(inside, server, "tcp", 6445, false)
		allow(inside, server, "udp", 6443, false)
		allow(outside, server, "tcp", 6443, false)
		allow(client, server, "tcp", 22623, true)
		allow(plain, server, "tcp", 22623, false)
		allow(netip.MustParseAddr("203.0.113.7"), server, "tcp", 22623, true) // an external source of the group
		allow(server, plain, "tcp", 22, false)                                // the default group has no ingress rule
		allow(server, outside, "tcp", 443, true)                              // the internet is not filtered

		w.must(w.client.DeleteSecurityGroupRule(w.ctx(), zone, servers, rule))
		allow(inside, server, "tcp", 6443, false)
		if n := w.api.Operator().RemoveRules("ers", 22623); n != 1 {
			t.Errorf("removed %d rules", n)
		}
		allow(client, server, "tcp", 22623, false)
	})
}

func TestSecurityGroup_FirstEgressRule(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group := w.group("g")
		_, from := w.machine("one", group)
		target := netip.MustParseAddr("192.0.2.9")
		if !w.api.Allows(from, target, "tcp", 80) {
			t.Error("without egress rules, everything may leave")
		}
		rule := tcp(443, 443, cidr("0.0.0.0/0"))
		rule.FlowDirection = ptr("egress")
		_, err := w.client.CreateSecurityGroupRule(w.ctx(), zone, group, rule)
		w.must(err)
		if w.api.Allows(from, target, "tcp", 80) || !w.api.Allows(from, target, "tcp", 443) {
			t.Error("the egress rule does not decide")
		}
	})
}

func TestSecurityGroup_AttachToRunning(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group := w.group("ssh")
		_, err := w.client.CreateSecurityGroupRule(w.ctx(), zone, group, tcp(22, 22, cidr("0.0.0.0/0")))
		w.must(err)
		i, address := w.machine("one")
		from := netip.MustParseAddr("192.0.2.1")
		w.must(w.client.AttachInstanceToSecurityGroup(w.ctx(), zone, i, group))
		if !w.api.Allows(from, address, "tcp", 22) {
			t.Error("attached, but closed")
		}
		w.must(w.client.DetachInstanceFromSecurityGroup(w.ctx(), zone, i, group))
		if w.api.Allows(from, address, "tcp", 22) {
			t.Error("detached, but open")
		}
	})
}

func TestSecurityGroup_KeptWhileUsed(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group := w.group("self")
		rule, err := w.client.CreateSecurityGroupRule(w.ctx(), zone, group, tcp(1, 65535, members(group)))
		w.must(err)
		w.refused(w.client.DeleteSecurityGroup(w.ctx(), zone, group)) // its own rule refers to it
		w.must(w.client.DeleteSecurityGroupRule(w.ctx(), zone, group, rule))
		i, _ := w.machine("one", group)
		w.refused(w.client.DeleteSecurityGroup(w.ctx(), zone, group))
		w.must(w.client.DeleteInstance(w.ctx(), zone, i))
		w.must(w.client.DeleteSecurityGroup(w.ctx(), zone, group))
		fallback, err := w.client.FindSecurityGroup(w.ctx(), zone, "default")
		w.must(err)
		w.refused(w.client.DeleteSecurityGroup(w.ctx(), zone, fallback))
	})
}

func TestSecurityGroup_RefusesInvalidRules(t *testing.T) {
	inBubble(t, nil, func(w world) {
		group := w.group("g")
		for name, rule := range map[string]*egoscale.SecurityGroupRule{
			"port 0":           tcp(0, 80, cidr("0.0.0.0/0")),
			"backwards":        tcp(81, 80, cidr("0.0.0.0/0")),
			"no peer":          tcp(80, 80, func(*egoscale.SecurityGroupRule) {}),
			"unknown protocol": tcp(80, 80, func(r *egoscale.SecurityGroupRule) { cidr("0.0.0.0/0")(r); r.Protocol = ptr("sctp") }),
		} {
			_, err := w.client.CreateSecurityGroupRule(w.ctx(), zone, group, rule)
			if err == nil {
				t.Errorf("%s: accepted", name)
			} else {
				w.refused(err)
			}
		}
		answer, err := w.client.GetSecurityGroupWithResponse(w.ctx(), *group.ID)
		w.must(err)
		if body := string(answer.Body); strings.Contains(body, "rules") || strings.Contains(body, "external-sources") {
			t.Errorf("empty lists are not shown: %s", body)
		}
	})
}
