// Package network creates what connects a cluster's machines: security groups, elastic IPs, and the DNS zone with its
// records and its delegation.
package network

import (
	"context"
	"net/netip"

	"exoshift/state"
	"exoshift/state/privatenetwork"
)

// Cloud is the part of Exoscale's API that connects machines. Every Ensure method searches by name and label first: one
// object of that name is used (and awaited until it is ready), with none it is created, several are a fault.Conflict. The
// action is the outcome.
type Cloud interface {
	// EnsureSecurityGroup also adds the rules that are missing (state.Updated); a rule that refers to a group needs that
	// group to exist.
	EnsureSecurityGroup(ctx context.Context, group state.SecurityGroup) (id string, action state.Action, err error)
	// ListMissingRules returns the rules of group that the zone does not have now.
	ListMissingRules(ctx context.Context, group state.SecurityGroup) ([]state.Rule, error)
	// EnsureElasticIP creates an address that persists when machines are deleted.
	EnsureElasticIP(ctx context.Context, ip state.ElasticIP) (state.ElasticIP, state.Action, error)
	// EnsurePrivateNetwork creates a private network; one of that name with another range, or with a router, is a fault.Conflict.
	EnsurePrivateNetwork(ctx context.Context, wanted privatenetwork.Network) (privatenetwork.Network, state.Action, error)
	EnsureReverseDNS(ctx context.Context, ip state.ElasticIP) (state.Action, error)
	EnsureZone(ctx context.Context, name string) (state.Zone, state.Action, error)
	// EnsureRecord makes record the only one of its name, type and content; others of the same name are kept.
	EnsureRecord(ctx context.Context, zoneID string, record state.Record) (state.Action, error)
	// DeleteRecords deletes the records of a name and type for whose content useless returns true.
	DeleteRecords(ctx context.Context, zoneID, name, kind string, useless func(content string) bool) (state.Action, error)
	// ListInstances returns the machines that have all the labels.
	ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error)
}

// Resolver queries name servers directly, without caches: a query that is too early would leave a negative answer in the
// caches.
type Resolver interface {
	// LookupNameServers returns the zone above a domain, and the name servers in this zone's NS records of the domain:
	// sorted, none if it is not delegated.
	LookupNameServers(ctx context.Context, domain string) (parent string, servers []string, err error)
	// QueryAddresses returns the addresses of a name by one name server.
	QueryAddresses(ctx context.Context, server, name string) ([]netip.Addr, error)
}
