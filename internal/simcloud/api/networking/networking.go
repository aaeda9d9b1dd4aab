// Package networking is the part of the Exoscale API of a simulated zone that connects instances: security groups, private
// networks, elastic IPs, reverse DNS and load balancers.
package networking

import (
	"net/netip"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// Networking is all resources that connect instances.
type Networking struct {
	SecurityGroups  *SecurityGroups
	PrivateNetworks *PrivateNetworks
	ElasticIPs      *ElasticIPs
	LoadBalancers   *LoadBalancers
	reverseDNS      *ReverseDNS
}

// New opens the resources. elastic is the range of elastic IPs, IPv4 of 16 bits; the zero value is 198.19.0.0/16.
func New(store *resource.Store, tables *instance.Tables, elastic netip.Prefix) *Networking {
	elasticIPs := resource.Open[elasticIP](store, "elastic-ip")
	reverse := resource.Open[reverseRecord](store, "reverse-dns")
	addresses := &addressPool{first: firstAddress(elastic), elasticIPs: elasticIPs}
	balancers := newLoadBalancers(store, tables, addresses)
	addresses.balancers = balancers.table
	n := &Networking{
		SecurityGroups:  &SecurityGroups{store: store, tables: tables, table: resource.Open[securityGroup](store, "security-group")},
		PrivateNetworks: &PrivateNetworks{store: store, tables: tables, table: resource.Open[privateNetwork](store, networkNoun)},
		ElasticIPs:      &ElasticIPs{store: store, tables: tables, table: elasticIPs, reverse: reverse, addresses: addresses},
		LoadBalancers:   balancers,
		reverseDNS:      &ReverseDNS{store: store, tables: tables, elasticIPs: elasticIPs, table: reverse},
	}
	store.Quotas.Count("elastic-ip", elasticIPs.Len)
	store.Quotas.Count(networkNoun, n.PrivateNetworks.table.Len)
	store.Quotas.Count("network-load-balancer", balancers.table.Len)
	return n
}

// RegisterRoutes adds the routes of all resources.
func (n *Networking) RegisterRoutes(register rest.Register) {
	n.SecurityGroups.registerRoutes(register)
	n.PrivateNetworks.registerRoutes(register)
	n.ElasticIPs.registerRoutes(register)
	n.LoadBalancers.registerRoutes(register)
	n.reverseDNS.registerRoutes(register)
}

// Detach detaches everything from an instance that is deleted.
func (n *Networking) Detach(instanceID string) error {
	return rest.FirstError(
		n.ElasticIPs.detachAll(instanceID), n.PrivateNetworks.detachAll(instanceID), n.reverseDNS.table.Delete(instanceID),
	)
}
