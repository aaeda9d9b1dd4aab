package simcloud

import (
	"context"
	"maps"
	"net/netip"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/services"
)

const (
	resolverName     = "cloudflare-dns.com" // resolver with DNS over HTTPS
	publicResolver   = "1.1.1.1"            // the same over UDP and TCP
	operatorResolver = "192.0.2.53"
)

func listExoscaleResolvers() []string { return []string{"159.100.247.115", "159.100.253.158"} }

type nameService struct {
	directory     *names.Directory
	operator      *names.Resolver // of the operator's machine
	machines      *names.Resolver // Exoscale's, for everything else in the zone
	publicAddress *names.Resolver // the public resolver
	networkFault  networkFault
	registrar     *registrar
}

func nameServers() map[string]string {
	return map[string]string{
		"ns1.exoscale.com": "203.0.113.53", "ns1.exoscale.ch": "203.0.113.54",
		"ns1.exoscale.io": "203.0.113.55", "ns1.exoscale.net": "203.0.113.56",
	}
}

func listRegistryServers() []string { return []string{"203.0.113.57", "203.0.113.58"} }

// listHosts returns the fixed hosts of the simulated internet.
func listHosts(zone string, fault networkFault) (map[string]netip.Addr, error) {
	addresses := nameServers()
	for i, name := range names.RegistryServers() {
		addresses[name] = listRegistryServers()[i]
	}
	addresses[storageName(zone)] = storageAddress
	maps.Copy(addresses, downloadServers())
	maps.Copy(addresses, services.Addresses())
	addresses[resolverName] = resolverAddress
	for _, name := range listAPINames(zone) {
		addresses[name] = apiAddress
	}
	for _, name := range fault.MissingNames {
		delete(addresses, name)
	}
	hosts := map[string]netip.Addr{}
	for name, address := range addresses {
		parsed, err := netip.ParseAddr(address)
		if err != nil {
			return nil, err
		}
		hosts[name] = parsed
	}
	return hosts, nil
}

// resolve returns the name resolution of the host of an address.
func (s *nameService) resolve(host netip.Addr) func(context.Context, string) ([]netip.Addr, error) {
	if isOperator(host) {
		return s.networkFault.lookup(s.operator.Lookup)
	}
	return s.machines.Lookup
}

// selectResolver returns the resolver of other records for the host of an address.
func (s *nameService) selectResolver(host netip.Addr) (network.Resolver, []string) {
	if isOperator(host) {
		return s.networkFault.resolve(s.operator.Resolve), []string{operatorResolver}
	}
	return s.machines.Resolve, listExoscaleResolvers()
}

func (s *nameService) serve(servers *server.Servers) error {
	sites := []server.Site{
		{Address: publicResolver, Ports: []server.Port{server.DNS{Handler: s.publicAddress}}},
		{Address: operatorResolver, Ports: []server.Port{server.DNS{Handler: names.Forwarder(s.networkFault.resolve(s.operator.Resolve))}}},
	}
	for _, address := range listExoscaleResolvers() {
		sites = append(sites, server.Site{Address: address, Ports: []server.Port{server.DNS{Handler: s.machines}}})
	}
	for _, address := range nameServers() {
		sites = append(sites, server.Site{Address: address, Ports: []server.Port{server.DNS{Handler: s.directory.ExoscaleServer()}}})
	}
	for _, address := range listRegistryServers() {
		sites = append(sites, server.Site{Address: address, Ports: []server.Port{server.DNS{Handler: s.directory.RegistryServer()}}})
	}
	for _, site := range sites {
		if err := servers.Add(site); err != nil {
			return err
		}
	}
	return nil
}
