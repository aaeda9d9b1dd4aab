package api

import (
	"net/netip"
	"slices"

	"exoshift/internal/simcloud/api/compute"
	"exoshift/internal/simcloud/api/domain"
	"exoshift/internal/simcloud/api/networking"
)

// Changed receives after a change: a new state of an instance, or a mutation. Several changes may be coalesced.
func (a *API) Changed() <-chan struct{} { return a.changed }

// Calls returns the number of requests since New.
func (a *API) Calls() int { return int(a.calls.Load()) }

// Mutations returns the number of mutating requests since New, without refused ones.
func (a *API) Mutations() int {
	a.store.Lock()
	defer a.store.Unlock()
	return a.mutations
}

// Limit returns the organization's limit of a resource; negative: there is no limit.
func (a *API) Limit(resource string) int { return a.store.Quotas.Limit(resource) }

// Instances returns the machines of the configured zone in the order of their creation. The caller must not modify the list.
func (a *API) Instances() []compute.Machine {
	a.store.Lock()
	defer a.store.Unlock()
	return a.compute.Instances.Machines(a.config.Zone)
}

// Template returns a template of the configured zone that is ready to use.
func (a *API) Template(id string) (compute.Template, bool) {
	a.store.Lock()
	defer a.store.Unlock()
	return a.compute.Templates.Find(a.config.Zone, id)
}

// ExportedSnapshot returns the image of an exported snapshot by the name that its link was made for.
func (a *API) ExportedSnapshot(name string) (content []byte, ok bool) {
	a.store.Lock()
	defer a.store.Unlock()
	return a.compute.Snapshots.Image(name)
}

// ElasticIP returns the elastic IP with that address, of any zone.
func (a *API) ElasticIP(address netip.Addr) (networking.ElasticIP, bool) {
	all := a.ElasticIPs()
	if i := slices.IndexFunc(all, func(ip networking.ElasticIP) bool { return ip.Address == address }); i >= 0 {
		return all[i], true
	}
	return networking.ElasticIP{}, false
}

// ElasticIPs returns the elastic IPs of all zones.
func (a *API) ElasticIPs() []networking.ElasticIP {
	a.store.Lock()
	defer a.store.Unlock()
	return a.networking.ElasticIPs.List()
}

// BalancedPort returns the port of a load balancer with that address, of any zone.
func (a *API) BalancedPort(dialed netip.AddrPort) (networking.BalancedPort, bool) {
	all := a.BalancedPorts()
	if i := slices.IndexFunc(all, func(port networking.BalancedPort) bool { return port.Dialed == dialed }); i >= 0 {
		return all[i], true
	}
	return networking.BalancedPort{}, false
}

// BalancedPorts returns the ports of the load balancers of all zones.
func (a *API) BalancedPorts() []networking.BalancedPort {
	a.store.Lock()
	defer a.store.Unlock()
	return a.networking.LoadBalancers.ListPorts()
}

// RoutedAddresses returns, by instance, the addresses on private networks that give their machines a default route.
func (a *API) RoutedAddresses() map[string]netip.Addr {
	a.store.Lock()
	defer a.store.Unlock()
	return a.networking.PrivateNetworks.RoutedAddresses()
}

// Zones returns the DNS domains with their records.
func (a *API) Zones() []domain.Zone {
	a.store.Lock()
	defer a.store.Unlock()
	return a.domains.Zones()
}

// Allows reports whether the security groups allow a packet of proto ("tcp", "udp", "icmp", …) from one address to a port of
// another. Addresses that belong to no instance are not filtered.
func (a *API) Allows(from, to netip.Addr, proto string, port int) bool {
	rules := a.firewall.Load()
	if rules == nil {
		rules = a.compileFirewall()
	}
	return rules.Allows(from, to, proto, port)
}

// compileFirewall holds the lock: a change meanwhile waits for it and then invalidates the result.
func (a *API) compileFirewall() *networking.Firewall {
	a.store.Lock()
	defer a.store.Unlock()
	compiled := a.networking.SecurityGroups.Compile()
	a.firewall.Store(compiled)
	return compiled
}

// Credentials returns the secret of an API key, and its permissions in the object storage: an operation, named as in
// "put-object", on a bucket and an object, where it has them. The last result reports whether the key exists.
func (a *API) Credentials(key string) (secret string, allows func(operation, bucket, object string) bool, ok bool) {
	a.store.Lock()
	defer a.store.Unlock()
	if secret, ok = a.iam.Secret(key); !ok {
		return "", nil, false
	}
	return secret, func(operation, bucket, object string) bool {
		a.store.Lock()
		defer a.store.Unlock()
		return a.iam.AllowsStorage(key, operation, bucket, object)
	}, true
}

// PowerOff stops an instance that its own operating system shuts down. There is no operation for it.
func (a *API) PowerOff(id string) {
	a.change(func() int {
		if a.compute.Instances.PowerOff(id) {
			return 1
		}
		return 0
	})
}

// Operator returns another operator.
func (a *API) Operator() Operator { return Operator{a} }

// change applies a change without a request, and returns the number of changed resources.
func (a *API) change(apply func() int) int {
	a.store.Lock()
	defer a.store.Unlock()
	changed := apply()
	if changed > 0 {
		a.notifyChanged()
	}
	return changed
}
