package foreign

import (
	"net"
	"testing"

	v3 "github.com/exoscale/egoscale/v3"
)

func TestNetwork_SecurityGroups(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	id := c.made(c.CreateSecurityGroup(ctx, v3.CreateSecurityGroupRequest{Name: "web", Description: "of a test"}))
	c.done(c.AddRuleToSecurityGroup(ctx, id, v3.AddRuleToSecurityGroupRequest{
		FlowDirection: v3.AddRuleToSecurityGroupRequestFlowDirectionIngress, Protocol: v3.AddRuleToSecurityGroupRequestProtocolTCP,
		Network: "192.0.2.0/24", StartPort: 80, EndPort: 81, Description: "the web",
	}))
	c.done(c.AddRuleToSecurityGroup(ctx, id, v3.AddRuleToSecurityGroupRequest{
		FlowDirection: v3.AddRuleToSecurityGroupRequestFlowDirectionIngress, Protocol: v3.AddRuleToSecurityGroupRequestProtocolICMP,
		ICMP: &v3.AddRuleToSecurityGroupRequestICMP{Type: ptr(int64(8)), Code: ptr(int64(0))}, SecurityGroup: &v3.SecurityGroupResource{ID: id},
	}))
	live := get(c.GetSecurityGroup(ctx, id))(c)
	want(c, "the description", live.Description, "of a test")
	want(c, "the rules", len(live.Rules), 2)
	for _, rule := range live.Rules {
		if rule.Protocol == v3.SecurityGroupRuleProtocolTCP {
			want(c, "the ports", [2]int64{rule.StartPort, rule.EndPort}, [2]int64{80, 81})
			want(c, "the network", rule.Network, "192.0.2.0/24")
		} else {
			want(c, "the group", rule.SecurityGroup.ID, id)
			want(c, "the ICMP type", rule.ICMP.Type, int64(8))
		}
	}
	has(c, get(c.ListSecurityGroups(ctx))(c).SecurityGroups, func(g v3.SecurityGroup) bool { return g.ID == id && g.Name == "web" })

	for _, rule := range live.Rules {
		c.done(c.DeleteRuleFromSecurityGroup(ctx, id, rule.ID))
	}
	want(c, "the rules that are left", len(get(c.GetSecurityGroup(ctx, id))(c).Rules), 0)
	c.done(c.DeleteSecurityGroup(ctx, id))
	c.gone(c.GetSecurityGroup(ctx, id))
}

func TestNetwork_ElasticIPs(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	id := c.made(c.CreateElasticIP(ctx, v3.CreateElasticIPRequest{Description: "api", Labels: v3.Labels{"a": "1"}, Healthcheck: &v3.ElasticIPHealthcheck{
		Mode: v3.ElasticIPHealthcheckModeHTTP, Port: 8404, URI: "/healthz", Interval: 10, Timeout: 5, StrikesOk: 2, StrikesFail: 3}}))
	live := get(c.GetElasticIP(ctx, id))(c)
	want(c, "the health check", live.Healthcheck.URI, "/healthz")
	want(c, "the label", live.Labels["a"], "1")
	has(c, get(c.ListElasticIPS(ctx))(c).ElasticIPS, func(ip v3.ElasticIP) bool { return ip.ID == id && net.ParseIP(ip.IP) != nil })

	vm := c.made(c.CreateInstance(ctx, v3.CreateInstanceRequest{Name: "behind", InstanceType: c.size("small"), Template: c.ubuntu(), DiskSize: 20}))
	c.done(c.AttachInstanceToElasticIP(ctx, id, v3.AttachInstanceToElasticIPRequest{Instance: &v3.InstanceTarget{ID: vm}}))
	has(c, get(c.GetInstance(ctx, vm))(c).ElasticIPS, func(ip v3.ElasticIP) bool { return ip.ID == id })
	c.done(c.DetachInstanceFromElasticIP(ctx, id, v3.DetachInstanceFromElasticIPRequest{Instance: &v3.InstanceTarget{ID: vm}}))
	want(c, "the addresses that are left", len(get(c.GetInstance(ctx, vm))(c).ElasticIPS), 0)
	c.done(c.DeleteInstance(ctx, vm))

	c.done(c.UpdateElasticIP(ctx, id, v3.UpdateElasticIPRequest{Description: "ingress"}))
	c.done(c.UpdateReverseDNSElasticIP(ctx, id, v3.UpdateReverseDNSElasticIPRequest{DomainName: "api.example.net."}))
	want(c, "the description", get(c.GetElasticIP(ctx, id))(c).Description, "ingress")
	want(c, "the reverse name", string(get(c.GetReverseDNSElasticIP(ctx, id))(c).DomainName), "api.example.net.")
	c.done(c.DeleteReverseDNSElasticIP(ctx, id))
	c.done(c.DeleteElasticIP(ctx, id))
	c.gone(c.GetElasticIP(ctx, id))
}

func TestNetwork_PrivateNetworks(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	id := c.made(c.CreatePrivateNetwork(ctx, v3.CreatePrivateNetworkRequest{Name: "private", Labels: v3.Labels{"a": "1"},
		StartIP: net.IPv4(10, 0, 0, 20), EndIP: net.IPv4(10, 0, 0, 200), Netmask: net.IPv4(255, 255, 255, 0)}))
	live := get(c.GetPrivateNetwork(ctx, id))(c)
	want(c, "the range", live.StartIP.String()+"-"+live.EndIP.String()+"/"+live.Netmask.String(), "10.0.0.20-10.0.0.200/255.255.255.0")
	has(c, get(c.ListPrivateNetworks(ctx))(c).PrivateNetworks, func(n v3.PrivateNetwork) bool { return n.ID == id && n.Name == "private" })

	vm := c.made(c.CreateInstance(ctx, v3.CreateInstanceRequest{Name: "inside", InstanceType: c.size("small"), Template: c.ubuntu(), DiskSize: 20}))
	c.done(c.AttachInstanceToPrivateNetwork(ctx, id, v3.AttachInstanceToPrivateNetworkRequest{
		Instance: &v3.AttachInstanceToPrivateNetworkRequestInstance{ID: vm}, IP: net.IPv4(10, 0, 0, 33)}))
	has(c, get(c.GetPrivateNetwork(ctx, id))(c).Leases, func(l v3.PrivateNetworkLease) bool { return l.InstanceID == vm && l.IP.String() == "10.0.0.33" })
	has(c, get(c.GetInstance(ctx, vm))(c).PrivateNetworks, func(n v3.InstancePrivateNetworks) bool { return n.ID == id })
	c.done(c.DetachInstanceFromPrivateNetwork(ctx, id, v3.DetachInstanceFromPrivateNetworkRequest{Instance: &v3.Instance{ID: vm}}))
	c.done(c.DeleteInstance(ctx, vm))

	c.done(c.UpdatePrivateNetwork(ctx, id, v3.UpdatePrivateNetworkRequest{Name: "private-2"}))
	want(c, "the name", get(c.GetPrivateNetwork(ctx, id))(c).Name, "private-2")
	c.done(c.DeletePrivateNetwork(ctx, id))
	c.gone(c.GetPrivateNetwork(ctx, id))
}

func TestNetwork_Domains(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	id := c.made(c.CreateDNSDomain(ctx, v3.CreateDNSDomainRequest{UnicodeName: "foreign.example.net"}))
	record := c.made(c.CreateDNSDomainRecord(ctx, id, v3.CreateDNSDomainRecordRequest{Name: "www", Type: v3.CreateDNSDomainRecordRequestTypeA, Content: "192.0.2.1", Ttl: 60}))
	has(c, get(c.ListDNSDomains(ctx))(c).DNSDomains, func(d v3.DNSDomain) bool { return d.ID == id && d.UnicodeName == "foreign.example.net" })
	has(c, get(c.ListDNSDomainRecords(ctx, id))(c).DNSDomainRecords, func(r v3.DNSDomainRecord) bool {
		return r.ID == record && r.Name == "www" && r.Content == "192.0.2.1" && r.Ttl == 60
	})

	c.done(c.UpdateDNSDomainRecord(ctx, id, record, v3.UpdateDNSDomainRecordRequest{Content: "192.0.2.2"}))
	want(c, "the address", get(c.GetDNSDomainRecord(ctx, id, record))(c).Content, "192.0.2.2")
	c.done(c.DeleteDNSDomainRecord(ctx, id, record))
	c.gone(c.GetDNSDomainRecord(ctx, id, record))
	c.done(c.DeleteDNSDomain(ctx, id))
	c.gone(c.GetDNSDomain(ctx, id))
}

func ptr[T any](value T) *T { return &value }
