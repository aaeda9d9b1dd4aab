package simcloud

import (
	"context"
	"maps"
	"net/netip"
	"strings"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/acmedns"
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

// openNames prepares the names; its directory reads the API's zones once the zone is open.
func (z *Zone) openNames(context.Context) error {
	hosts, err := z.listHosts()
	if err != nil {
		return err
	}
	human, err := newRegistrar(z.db, z.clock, z.options.Scenario)
	if err != nil {
		return err
	}
	directory := names.New(names.Config{Hosts: hosts, Zones: z.listZones, Delegations: human.listDelegations, Texts: z.listChallenges})
	z.dns = &nameService{
		directory:     directory,
		operator:      names.NewResolver(directory, z.clock),
		machines:      names.NewResolver(directory, z.clock),
		publicAddress: names.NewResolver(directory, z.clock),
		networkFault:  z.networkFault,
		registrar:     human,
	}
	return nil
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

func (z *Zone) listHosts() (map[string]netip.Addr, error) {
	addresses := nameServers()
	for i, name := range names.RegistryServers() {
		addresses[name] = listRegistryServers()[i]
	}
	addresses[z.storageName()] = storageAddress
	maps.Copy(addresses, downloadServers())
	maps.Copy(addresses, services.Addresses())
	addresses[resolverName] = resolverAddress
	for _, name := range z.listAPINames() {
		addresses[name] = apiAddress
	}
	for _, name := range z.networkFault.missingNames {
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

func (z *Zone) listChallenges(name string) []string {
	if !strings.HasSuffix(name, "."+acmedns.DefaultZone) {
		return nil
	}
	p, err := z.syn()
	if err != nil {
		return nil
	}
	texts, _ := p.acme.TXT(name)
	return texts
}

func (z *Zone) listZones() []names.Zone {
	var list []names.Zone
	for _, zone := range z.api.Zones() {
		served := names.Zone{Name: zone.Name}
		for _, r := range zone.Records {
			name := strings.TrimPrefix(r.Name+"."+zone.Name, ".")
			served.Records = append(served.Records, names.Record{Name: name, Type: r.Type, Content: r.Content, TTL: r.TTL, Priority: r.Priority})
		}
		list = append(list, served)
	}
	return list
}

func (z *Zone) serveNames() error {
	sites := []server.Site{
		{Address: publicResolver, Ports: []server.Port{server.DNS{Handler: z.dns.publicAddress}}},
		{Address: operatorResolver, Ports: []server.Port{server.DNS{Handler: names.Forwarder(z.networkFault.resolve(z.dns.operator.Resolve))}}},
	}
	for _, address := range listExoscaleResolvers() {
		sites = append(sites, server.Site{Address: address, Ports: []server.Port{server.DNS{Handler: z.dns.machines}}})
	}
	for _, address := range nameServers() {
		sites = append(sites, server.Site{Address: address, Ports: []server.Port{server.DNS{Handler: z.dns.directory.ExoscaleServer()}}})
	}
	for _, address := range listRegistryServers() {
		sites = append(sites, server.Site{Address: address, Ports: []server.Port{server.DNS{Handler: z.dns.directory.RegistryServer()}}})
	}
	for _, site := range sites {
		if err := z.servers.Add(site); err != nil {
			return err
		}
	}
	return nil
}
