package networking

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type privateNetwork struct {
	resource.Row
	Wire  wireNetwork
	Ports []networkPort
}

// networkPort is an instance's interface on a network.
type networkPort struct{ Instance, IP, MAC string }

type wireNetwork struct {
	ID          string              `json:"id"`
	Name        string              `json:"name"`
	Description string              `json:"description"`
	Netmask     string              `json:"netmask,omitempty"`
	StartIP     string              `json:"start-ip,omitempty"`
	EndIP       string              `json:"end-ip,omitempty"`
	VNI         int                 `json:"vni"`
	Labels      map[string]string   `json:"labels,omitempty"`
	Leases      []wireLease         `json:"leases,omitempty"`
	Options     *wireNetworkOptions `json:"options,omitempty"`
}

type wireLease struct {
	IP       string `json:"ip"`
	Instance string `json:"instance-id"`
}

const networkNoun = "private-network"

// PrivateNetworks are the private networks of all zones. No traffic of the simulation uses one, but a machine that gets its default route
// from one takes its address for its own.
type PrivateNetworks struct {
	store  *resource.Store
	tables *instance.Tables
	table  *resource.Table[privateNetwork]
}

// registerRoutes adds the routes of private networks.
func (s *PrivateNetworks) registerRoutes(register rest.Register) {
	register("GET /private-network", s.list)
	register("POST /private-network", s.create)
	register("GET /private-network/{id}", func(req *rest.Request) (any, error) {
		network, err := s.table.Get(req.Zone, req.ID())
		return network.view(), err
	})
	register("PUT /private-network/{id}", s.update)
	register("DELETE /private-network/{id}", s.delete)
	register("PUT /private-network/{id}/:attach", s.attach)
	register("PUT /private-network/{id}/:detach", s.detach)
	register("PUT /private-network/{id}/:update-ip", s.updateLease)
	register("DELETE /private-network/{id}/{field}", s.resetField)
}

func (n privateNetwork) view() wireNetwork {
	for _, port := range n.Ports {
		if port.IP != "" {
			n.Wire.Leases = append(n.Wire.Leases, wireLease{IP: port.IP, Instance: port.Instance})
		}
	}
	return n.Wire
}

func (s *PrivateNetworks) list(req *rest.Request) (any, error) {
	list := []wireNetwork{}
	for _, network := range s.table.List(req.Zone) {
		list = append(list, network.view())
	}
	return map[string]any{"private-networks": list}, nil
}

func (s *PrivateNetworks) create(req *rest.Request) (any, error) {
	body := wireNetwork{Labels: map[string]string{}}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if req.Zone == "" {
		return nil, rest.NotFound("zone", req.Host)
	}
	if err := rest.FirstError(checkNetwork(body), s.store.Quotas.Check(networkNoun, 1)); err != nil {
		return nil, err
	}
	head, err := s.store.NewRow(req.Zone)
	if err != nil {
		return nil, err
	}
	body.ID, body.VNI, body.Leases = head.ID, 1000+head.Order, nil
	return s.table.Save(privateNetwork{Row: head, Wire: body})
}

func checkNetwork(n wireNetwork) error {
	if err := rest.FirstError(rest.CheckLength("name", n.Name, 1, 255), rest.CheckDescription(&n.Description)); err != nil {
		return err
	}
	if n.StartIP == "" && n.EndIP == "" && n.Netmask == "" {
		return nil // not managed
	}
	first, err := netip.ParseAddr(n.StartIP)
	if err != nil {
		return rest.Invalidf("start-ip: %v", err)
	}
	if _, err := netip.ParseAddr(n.Netmask); err != nil {
		return rest.Invalidf("netmask: %v", err)
	}
	last, err := netip.ParseAddr(n.EndIP)
	if err != nil {
		return rest.Invalidf("end-ip: %v", err)
	}
	if last.Less(first) {
		return rest.Invalidf("start-ip must not be greater than end-ip")
	}
	return nil
}

func (s *PrivateNetworks) update(req *rest.Request) (any, error) {
	network, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	body := network.Wire
	body.Labels, body.Options = nil, nil // the decoder must not write to memory that is shared with the stored network
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if err := checkNetwork(body); err != nil {
		return nil, err
	}
	if body.Labels == nil {
		body.Labels = network.Wire.Labels
	}
	if body.Options == nil {
		body.Options = network.Wire.Options
	}
	body.ID, body.VNI, body.Leases = network.ID, network.Wire.VNI, nil
	network.Wire = body
	return s.table.Save(network)
}

func (s *PrivateNetworks) delete(req *rest.Request) (any, error) {
	network, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	if len(network.Ports) > 0 {
		return nil, rest.Errorf(http.StatusConflict, "Private network %s is attached to an instance", network.Wire.Name)
	}
	return s.table.Remove(network)
}

func (s *PrivateNetworks) attach(req *rest.Request) (any, error) {
	network, i, err := s.findWithInstance(req)
	if err != nil {
		return nil, err
	}
	var body struct {
		IP string `json:"ip"`
	}
	if err := rest.FirstError(req.Decode(&body), network.checkLease(i.ID, body.IP)); err != nil {
		return nil, err
	}
	return s.table.Save(network.with(i, body.IP))
}

// with returns the network with an added interface.
func (n privateNetwork) with(i instance.Instance, address string) privateNetwork {
	mac := fmt.Sprintf("06:01:%02x:%02x:%02x:%02x", byte(n.Order>>8), byte(n.Order), byte(i.Order>>8), byte(i.Order))
	n.Ports = append(n.filterPorts(i.ID), networkPort{Instance: i.ID, IP: address, MAC: mac})
	return n
}

func (s *PrivateNetworks) detach(req *rest.Request) (any, error) {
	network, i, err := s.findWithInstance(req)
	if err != nil {
		return nil, err
	}
	network.Ports = network.filterPorts(i.ID)
	return s.table.Save(network)
}

func (s *PrivateNetworks) findWithInstance(req *rest.Request) (privateNetwork, instance.Instance, error) {
	network, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return privateNetwork{}, instance.Instance{}, err
	}
	i, err := s.tables.FindNamed(req)
	return network, i, err
}

func (n privateNetwork) filterPorts(instanceID string) []networkPort {
	return slices.DeleteFunc(slices.Clone(n.Ports), func(p networkPort) bool { return p.Instance == instanceID })
}

// Interfaces returns the interfaces on private networks, by instance.
func (s *PrivateNetworks) Interfaces() map[string][]Interface {
	byInstance := map[string][]Interface{}
	for _, network := range s.table.All() {
		for _, port := range network.Ports {
			byInstance[port.Instance] = append(byInstance[port.Instance], Interface{ID: network.ID, MAC: port.MAC})
		}
	}
	return byInstance
}

// RoutedAddresses returns, by instance, the addresses on networks whose DHCP names a router.
func (s *PrivateNetworks) RoutedAddresses() map[string]netip.Addr {
	byInstance := map[string]netip.Addr{}
	for _, network := range s.table.All() {
		address, err := netip.ParseAddr(network.Wire.StartIP)
		if err != nil || network.Wire.Options == nil || len(network.Wire.Options.Routers) == 0 {
			continue
		}
		for _, port := range network.Ports {
			byInstance[port.Instance] = address
			if fixed, err := netip.ParseAddr(port.IP); err == nil {
				byInstance[port.Instance] = fixed
			}
			address = address.Next()
		}
	}
	return byInstance
}

func (s *PrivateNetworks) detachAll(instanceID string) error {
	for _, network := range s.table.All() {
		if kept := network.filterPorts(instanceID); len(kept) < len(network.Ports) {
			network.Ports = kept
			if err := s.table.Put(network); err != nil {
				return err
			}
		}
	}
	return nil
}

// Interface is an instance's interface on a private network, in the wire format.
type Interface struct {
	ID  string `json:"id"`
	MAC string `json:"mac-address"`
}

// Check returns an error if there is no such private network in the zone.
func (s *PrivateNetworks) Check(zone, id string) error {
	_, err := s.table.Get(zone, id)
	return err
}

// Attach attaches a private network to an instance, unless it has been deleted.
func (s *PrivateNetworks) Attach(id string, i instance.Instance) error {
	network, ok := s.table.Lookup(id)
	if !ok {
		return nil
	}
	return s.table.Put(network.with(i, ""))
}
