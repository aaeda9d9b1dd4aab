package simcloud

import (
	"context"
	"maps"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/storage"
	"exoshift/internal/simcloud/fabric"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/services"
)

// The addresses of the simulation are in the ranges reserved for documentation and benchmarks. Package api gives instances
// addresses in 198.18.0.0/16 and elastic IPs addresses in 198.19.0.0/16.
const (
	clientAddress   = "192.0.2.10"
	platformAddress = "198.51.100.1"
	apiAddress      = "203.0.113.10"
	storageAddress  = "203.0.113.20"
	clientsAddress  = "203.0.113.30"
	imagesAddress   = "203.0.113.31"
	okdAddress      = "203.0.113.32"
	assetsAddress   = "203.0.113.33"
	centosAddress   = "203.0.113.34"
	resolverAddress = "203.0.113.40"
)

func listAPINames(own string) []string {
	list := []string{"api.exoscale.com", "api-" + own + ".exoscale.com"}
	for _, zone := range resource.ZoneNames() {
		if zone != own {
			list = append(list, "api-"+zone+".exoscale.com")
		}
	}
	return list
}

func storageName(zone string) string { return "sos-" + zone + ".exo.io" }

// openFabric creates the network and the hosts without servers. The functions of its config are called once the zone is open.
func (z *Zone) openFabric(context.Context) (err error) {
	if z.ca, err = openAuthority(z.db); err != nil {
		return err
	}
	if z.release, err = openReleaseKey(z.db); err != nil {
		return err
	}
	if z.hostSeed, err = openHostSeed(z.db); err != nil {
		return err
	}
	if z.hostKeys, err = services.HostKeys(z.hostSeed); err != nil {
		return err
	}
	z.fabric = fabric.New(fabric.Config{
		Clock: z.clock, ResolveFor: z.dns.resolve, ResolverFor: z.dns.selectResolver, Allows: z.isAllowed, Translate: z.translate, Redirect: z.networkFault.redirectPacket,
	})
	z.addCloser(z.fabric.Close)
	z.servers = server.New(server.Config{Fabric: z.fabric, CA: z.ca, Now: z.networkFault.serverTime})
	z.stops = append(z.stops, z.servers.Close)
	if z.client, err = z.addHost(clientAddress); err != nil {
		return err
	}
	if z.platform, err = z.addHost(platformAddress); err != nil {
		return err
	}
	z.ProjectSyn = newProjectSyn(projectSynConfig{
		db: z.db, clock: z.clock, serverTime: z.networkFault.serverTime, hostSeed: z.hostSeed, hostKeys: z.hostKeys,
		client:     func() *http.Transport { return z.platform.Network(z.ca.Pool()).NewTransport() },
		lieutenant: z.fault.Lieutenant, compilation: z.fault.Compilation, wrap: z.options.Syn,
	})
	z.OperatorHost = &OperatorHost{client: z.client, network: z.Network, syn: z.ProjectSyn}
	return nil
}

func (z *Zone) addHost(address string) (*fabric.Host, error) {
	parsed, err := netip.ParseAddr(address)
	if err != nil {
		return nil, err
	}
	return z.fabric.AddHost(parsed)
}

func (z *Zone) openServices(context.Context) (err error) {
	z.api, err = api.New(api.Config{
		DB: z.db, Clock: z.clock, Zone: z.options.Zone, Key: z.options.Key, Secret: z.options.Secret,
		HTTP:              z.platform.Network(z.ca.Pool()).NewClient(),
		RefuseCredentials: z.fault.API.RefuseCredentials,
		NoDNSPlan:         z.fault.API.NoDNSPlan,
		NoBlockStorage:    z.fault.API.NoBlockStorage,
		TerseTemplates:    z.fault.API.TerseTemplates,
		EvictsAnother:     z.fault.API.EvictsAnother,
		RevokesReplaced:   z.fault.API.RevokesReplaced,
		Quotas:            z.fault.API.Quotas,
		Elastic:           z.fault.API.ElasticIPs,
		Latency:           z.options.Latency,
		Now:               z.networkFault.serverTime,
		Buckets:           z.listBuckets,
		Link:              func(key, secret, bucket, object string) string { return z.storage.Link(key, secret, bucket, object) },
		ExportLink:        func(name string) string { return z.storage.ExportLink(name) },
	})
	if err != nil {
		return err
	}
	z.addCloser(z.api.Close)
	objects := ""
	if z.options.Dir != "" {
		objects = filepath.Join(z.options.Dir, "objects")
	}
	z.storage, err = s3.New(s3.Config{
		DB: z.db, Dir: objects, Zone: z.options.Zone, Now: z.networkFault.serverTime,
		Credentials: z.api.Credentials, Limit: func() int { return z.api.Limit("bucket") },
		Export: z.api.ExportedSnapshot, IgnoreConditions: z.fault.API.UnconditionalStorage, Damaged: z.fault.API.DamagedObjects,
	})
	z.Counters = &Counters{z.api, z.storage}
	return err
}

// listBuckets adapts the object storage to the API. It is not called before both are open.
func (z *Zone) listBuckets() []storage.Bucket {
	var list []storage.Bucket
	for _, b := range z.storage.Usage() {
		list = append(list, storage.Bucket{Name: b.Name, Zone: z.options.Zone, Created: b.Created, Size: b.Size})
	}
	return list
}

func downloadServers() map[string]string {
	return map[string]string{
		mirror.ClientsHost: clientsAddress, mirror.ImagesHost: imagesAddress,
		mirror.OKDHost: okdAddress, mirror.AssetsHost: assetsAddress, mirror.CentOSHost: centosAddress,
	}
}

func (z *Zone) openInternet(context.Context) error {
	for _, site := range []struct {
		address string
		names   []string
		handler http.Handler
	}{
		{apiAddress, listAPINames(z.options.Zone), z.wrapHandler(newAPIFault(z.fault.API, z.clock, z.faults.events).wrap(z.api))},
		{storageAddress, []string{storageName(z.options.Zone)}, z.wrapHandler(z.networkFault.slowParts(z.clock, z.storage))},
		{resolverAddress, []string{resolverName}, z.dns.publicAddress},
	} {
		if err := z.serve(site.address, site.names, site.handler); err != nil {
			return err
		}
	}
	if err := z.openDownloads(); err != nil {
		return err
	}
	err := services.Open(services.Config{
		Servers: z.servers, Release: z.release, HostKey: z.hostSeed, Syn: z.buildSynHosts(), Registries: z.networkFault.delayRegistries(z.clock),
	})
	if err != nil {
		return err
	}
	if err := z.dns.serve(z.servers); err != nil {
		return err
	}
	z.middleboxes = &middleboxes{servers: z.servers, ca: z.ca}
	return z.middleboxes.open(z.networkFault)
}

func (z *Zone) openDownloads() error {
	downloads := mirror.New(z.options.Installer, z.release)
	if z.options.Mirror != nil {
		downloads = z.options.Mirror(downloads)
	}
	for name, address := range downloadServers() {
		if err := z.serve(address, []string{name}, downloads); err != nil {
			return err
		}
	}
	return nil
}

func (z *Zone) serve(address string, names []string, handler http.Handler) error {
	return z.servers.Add(server.Site{Address: address, Names: names, Ports: server.NewWebPorts(handler)})
}

// HostKeys returns the SSH host keys of the simulated internet by host, each as "ssh-ed25519 AAAA…". They are stable as long as
// Dir is kept.
func (z *Zone) HostKeys() map[string]string { return maps.Clone(z.hostKeys) }

func (z *Zone) wrapHandler(handler http.Handler) http.Handler {
	if z.options.Middleware == nil {
		return handler
	}
	return z.options.Middleware(handler)
}

// openNames prepares the names; its directory reads the API's zones once the zone is open.
func (z *Zone) openNames(context.Context) error {
	hosts, err := listHosts(z.options.Zone, z.networkFault)
	if err != nil {
		return err
	}
	human, err := newRegistrar(z.db, z.clock, z.fault.Delegation)
	if err != nil {
		return err
	}
	directory := names.New(names.Config{Hosts: hosts, Zones: z.listZones, Delegations: human.listDelegations, Texts: func(name string) []string { return z.listChallenges(name) }})
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

// listZones returns the zones of the API as name servers serve them.
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
