package simcloud

import (
	"context"
	"net/netip"

	"exoshift/internal/simcloud/api/compute"
	"exoshift/internal/simcloud/openshift"
	"exoshift/internal/simcloud/vm"
)

// openMachines prepares the machines; watchChanges starts them.
func (z *Zone) openMachines(context.Context) error {
	z.clusters = openshift.NewClusters(z.db, z.clock, z.fault.Cluster)
	fleet, err := vm.New(vm.Config{
		DB: z.db, Fabric: z.fabric, Clock: z.clock, Roots: z.ca.Pool(), Instances: z.listInstances, HasBootFault: z.faults.hasBootFault, LacksPackages: z.faults.lacksPackages, LacksCloudInit: z.faults.lacksCloudInit,
		RunSoftware: z.clusters.RunSoftware,
		Program:     z.options.Program, PowerOff: z.api.PowerOff,
	})
	if err != nil {
		return err
	}
	z.hypervisor = fleet
	z.addCloser(fleet.Close)
	z.probes = newProbes(z.platform, z.clock, z.ca.Pool())
	z.addCloser(z.probes.running.Wait)
	return nil
}

// listInstances adds the metadata of their images to the API's instances.
func (z *Zone) listInstances() []vm.Instance {
	var list []vm.Instance
	images := map[string]compute.Template{} // by ID: many machines share one
	routed := z.api.RoutedAddresses()
	for _, i := range z.api.Instances() {
		image, known := images[i.TemplateID]
		if !known {
			image, _ = z.api.Template(i.TemplateID)
			images[i.TemplateID] = image
		}
		list = append(list, vm.Instance{
			ID: i.ID, Name: i.Name, Address: i.Address, State: i.State, Zone: i.Zone, Type: i.Type,
			DiskGiB: i.DiskGiB, Platform: image.Platform, OSBuild: image.OSBuild, DefaultAddress: routed[i.ID], UserData: i.UserData, CreatedAt: i.CreatedAt,
		})
	}
	return list
}

// isAllowed filters packets: security groups apply, and only instances reach the metadata service. A host's packets to itself
// are not filtered.
func (z *Zone) isAllowed(from, to netip.Addr, proto string, port int) bool {
	if to.IsLinkLocalUnicast() {
		return isInstance(from)
	}
	return from == to || !z.networkFault.isDropped(from, to) && z.api.Allows(from, to, proto, port)
}

// translate forwards packets for an elastic IP to one of its healthy instances. An unmanaged one drops them: no simulated
// machine configures the address itself. Instances that share an address do not reach each other through it (from older
// documents of Exoscale, not verified). Whether a managed elastic IP preserves the source of a connection is documented in two
// ways: it does, unless that is the fault.
func (z *Zone) translate(from netip.Addr, to netip.AddrPort, proto string) (target netip.AddrPort, source netip.Addr, ok bool) {
	if !z.fault.API.ElasticIPs.Contains(to.Addr()) {
		return to, from, true
	}
	ip, ok := z.api.ElasticIP(to.Addr())
	if !ok {
		target, ok = z.balance(from, to, proto)
		return target, from, ok
	}
	if ip.Healthcheck == nil {
		return netip.AddrPort{}, netip.Addr{}, false
	}
	asking := from
	if z.fault.API.HoldersReach {
		asking = netip.Addr{}
	}
	instance, ok := z.probes.selectHealthy(ip.Backends, asking)
	if z.fault.API.SourceRewritten {
		from = z.platform.Address()
	}
	return netip.AddrPortFrom(instance, to.Port()), from, ok
}

// balance forwards a connection to a load balancer to the target port of a healthy member, round-robin whatever the strategy. The
// member sees the client's address, so its security groups filter the client. A member does not reach itself so.
func (z *Zone) balance(from netip.Addr, to netip.AddrPort, proto string) (target netip.AddrPort, ok bool) {
	port, ok := z.api.BalancedPort(to)
	if !ok || !port.Runs || proto != "tcp" {
		return netip.AddrPort{}, false
	}
	member, ok := z.probes.selectHealthy(port.Backends, from)
	return netip.AddrPortFrom(member, port.Target), ok
}

func isInstance(address netip.Addr) bool {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 18}), 16).Contains(address)
}

// defaultElasticIPs returns the usual range of elastic IPs.
func defaultElasticIPs() netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 19}), 16) }
