package simcloud

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"strings"

	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/registry"
)

// resolverName is a resolver that answers over HTTPS.
const resolverName = "cloudflare-dns.com"

// nameService is the DNS of the simulated internet.
type nameService struct {
	directory *names.Directory
	operator  *names.Resolver // of the operator's machine
	machines  *names.Resolver // Exoscale's, which everything else in the zone asks
	registrar *registrar
}

// nameServers returns the hosts that every DNS zone of the API names as its servers.
func nameServers() map[string]string {
	return map[string]string{
		"ns1.exoscale.com": "203.0.113.53", "ns1.exoscale.ch": "203.0.113.54",
		"ns1.exoscale.io": "203.0.113.55", "ns1.exoscale.net": "203.0.113.56",
	}
}

// registryServers returns the addresses of names.RegistryServers, in their order.
func registryServers() []string { return []string{"203.0.113.57", "203.0.113.58"} }

// openNames prepares the names; its directory asks for zones once the zone is open.
func (z *Zone) openNames(context.Context) error {
	hosts, err := z.hosts()
	if err != nil {
		return err
	}
	human, err := newRegistrar(z.db, z.clock, z.options.Scenario)
	if err != nil {
		return err
	}
	directory := names.New(names.Config{Hosts: hosts, Zones: z.zones, Delegations: human.delegations})
	z.dns = &nameService{
		directory: directory,
		operator:  names.NewResolver(directory, z.clock),
		machines:  names.NewResolver(directory, z.clock),
		registrar: human,
	}
	return nil
}

// resolve returns how the host of an address resolves names.
func (s *nameService) resolve(host netip.Addr) func(context.Context, string) ([]netip.Addr, error) {
	if host.String() == clientAddress {
		return s.operator.Lookup
	}
	return s.machines.Lookup
}

// hosts returns the fixed names of the simulated internet.
func (z *Zone) hosts() (map[string]netip.Addr, error) {
	addresses := nameServers()
	for i, name := range names.RegistryServers() {
		addresses[name] = registryServers()[i]
	}
	addresses[z.storageName()] = storageAddress
	maps.Copy(addresses, downloadServers())
	addresses[resolverName], addresses[registry.Host] = resolverAddress, registryAddress
	for _, name := range z.apiNames() {
		addresses[name] = apiAddress
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

// zones returns the API's DNS zones with full names.
func (z *Zone) zones() []names.Zone {
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

// serveNames opens the name servers.
func (z *Zone) serveNames() error {
	servers := map[string]names.Server{}
	for _, address := range nameServers() {
		servers[address] = z.dns.directory.Exoscale()
	}
	for _, address := range registryServers() {
		servers[address] = z.dns.directory.Registry()
	}
	for address, server := range servers {
		host, err := z.host(address)
		if err != nil {
			return fmt.Errorf("serve names: %w", err)
		}
		l, err := host.Listen(53)
		if err != nil {
			return fmt.Errorf("serve names: %w", err)
		}
		z.running.Go(func() { _ = server.Serve(l) })
		z.stops = append(z.stops, l.Close)
	}
	return nil
}
